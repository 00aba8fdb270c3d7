import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A proxy in front of a server. Disposing of it stops it. */
export interface WebhookProxy extends AsyncDisposable {
  readonly url: string;
  /** Whether the proxy closes connections without an answer. */
  isAway: boolean;
  /** Whether its answers contain only two numbers, as in an earlier version of Calltrack. */
  isOld: boolean;
}

/**
 * Starts a proxy for the webhooks that a PBX calls. Its answers turn each minute of `max_minutes` into a second, because call flows allow no
 * limit below one minute, which is long for a test. It drops reports that a call was answered, because the report of its end repeats them.
 */
export async function startWebhookProxy(server: string): Promise<WebhookProxy> {
  const proxy = createServer((request, response) => {
    // Without an answer, the PBX repeats its request, as it does if the server is unavailable.
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
  // A kept connection would break when the server is restarted.
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
