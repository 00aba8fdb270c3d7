import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface WebhookReceiver {
  readonly url: string;
  /** The requests received so far. */
  readonly requests: readonly ReceivedRequest[];
  /** Stops the receiver, and breaks its connections. */
  stop(): void;
}

type Answer = (response: ServerResponse, request: ReceivedRequest) => unknown;

const accept: Answer = (response) => response.writeHead(204).end();

/** Starts a receiver of webhooks, by default on a free port. The receiver stops after the test. */
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
