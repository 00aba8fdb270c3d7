import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A request that a receiver got. */
export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A program that receives webhooks. */
export interface WebhookReceiver {
  readonly url: string;
  /** The requests so far. */
  readonly requests: readonly ReceivedRequest[];
  /** Stops it, and breaks its connections. */
  stop(): void;
}

/** Answers a request; the default accepts it. */
type Answer = (response: ServerResponse, request: ReceivedRequest) => unknown;

const accept: Answer = (response) => response.writeHead(204).end();

/**
 * Starts a receiver of webhooks, which stops after the test.
 *
 * @param port by default a free one.
 */
export async function startWebhookReceiver(answer = accept, port = 0): Promise<WebhookReceiver> {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (message, response) => {
    const request = { headers: message.headers, body: await text(message) };
    requests.push(request);
    await answer(response, request);
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(stop);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, requests, stop };
}
