import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A proxy between a PBX and a server. Disposing of the proxy stops it. */
export interface WebhookProxy extends AsyncDisposable {
  readonly url: string;
  /** Whether the proxy closes connections without an answer. */
  isAway: boolean;
  /** Whether responses have no `steps` and no `business`, as in an earlier version of Calltrack. */
  isOld: boolean;
}

/**
 * Starts a proxy for the webhooks that a PBX calls. In the proxy's responses, each minute of a call flow's `max_minutes` becomes a second, because
 * even the shortest limit, one minute, is long for a test. The proxy drops reports that a call was answered, because the report of the call's end
 * repeats them.
 */
export async function startWebhookProxy(server: string): Promise<WebhookProxy> {
  const proxy = createServer((request, response) => {
    // Simulates an unavailable server: without a response, the PBX repeats its request.
    if (own.isAway) response.destroy();
    else forward(server + request.url, request, response, own.isOld).catch(() => response.destroy());
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const own: WebhookProxy = {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    isAway: false,
    isOld: false,
    async [Symbol.asyncDispose]() {
      proxy.close();
      proxy.closeAllConnections();
    },
  };
  return own;
}

async function forward(url: string, request: IncomingMessage, response: ServerResponse, isOld: boolean): Promise<void> {
  const { authorization = "", "content-type": type = "" } = request.headers;
  const form = await text(request);
  if (new URLSearchParams(form).get("event") === "answered") {
    response.writeHead(204).end();
    return;
  }
  // A connection that is kept open would break when the server is restarted.
  const headers = { authorization, "content-type": type, connection: "close" };
  const answer = await fetch(url, { method: "POST", headers, body: form });
  const body = await answer.text();
  response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
  response.end(body.startsWith("{") ? rewrite(body, isOld) : body);
}

function rewrite(body: string, isOld: boolean): string {
  const { steps, business, max_seconds, ...answer } = JSON.parse(body);
  return JSON.stringify({ ...answer, ...(!isOld && { steps, business }), max_seconds: max_seconds / 60 });
}
