import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A proxy in front of a server. Disposing of it ends it. */
export interface ShorteningProxy extends AsyncDisposable {
  readonly url: string;
}

/**
 * Starts a proxy for the webhooks of a PBX whose answers limit a call to a second for each minute of `max_minutes`. Call flows allow no limit
 * below one minute, which is long for a test.
 */
export async function shortenMinutes(server: string): Promise<ShorteningProxy> {
  const proxy = createServer((request, response) => {
    // Without an answer, the PBX sends its request again, as it does if the server is away.
    forward(server + request.url, request, response).catch(() => response.destroy());
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      proxy.close();
      proxy.closeAllConnections();
    },
  };
}

async function forward(url: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { authorization = "", "content-type": type = "" } = request.headers;
  // A connection that is kept would break when the server is restarted.
  const headers = { authorization, "content-type": type, connection: "close" };
  const answer = await fetch(url, { method: "POST", headers, body: await text(request) });
  const body = await answer.text();
  response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
  response.end(body.replace(/"max_seconds":(\d+)/, (_, seconds) => `"max_seconds":${Number(seconds) / 60}`));
}
