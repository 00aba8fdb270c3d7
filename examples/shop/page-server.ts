import { readFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";

export interface PageServer {
  readonly url: string;
  close(): void;
}

/** The path of the shop's webhook endpoint. */
export const WEBHOOK_PATH = "/calls";

/**
 * Serves the shop's page, which includes Calltrack's script, and receives requests to the shop's webhook endpoint.
 *
 * @param receive handles a request to the webhook endpoint. Returns whether the request comes from Calltrack.
 */
export async function serveShopPage(
  port: number,
  calltrackUrl: string,
  account: string,
  property: string,
  receive: (headers: IncomingHttpHeaders, body: string) => boolean,
): Promise<PageServer> {
  const read = (name: string) => readFile(new URL(`page/${name}`, import.meta.url), "utf8");
  const [html, css] = await Promise.all([read("index.html"), read("shop.css")]);
  const values: Readonly<Record<string, string>> = { calltrack: calltrackUrl, account, property };
  const page = html.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name] ?? "");
  const server = createServer(async (request, response) => {
    const path = request.url?.split("?", 1)[0];
    if (path === "/") response.setHeader("content-type", "text/html; charset=utf-8").end(page);
    else if (path === "/shop.css") response.setHeader("content-type", "text/css; charset=utf-8").end(css);
    else if (path === WEBHOOK_PATH && request.method === "POST") {
      const body = await text(request).catch(() => "");
      response.writeHead(receive(request.headers, body) ? 204 : 400).end();
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
