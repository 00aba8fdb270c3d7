import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";
import type { EventJson } from "./api-client.js";

export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: EventJson;
}

export type WebhookAnswerer = (response: ServerResponse, received: ReceivedWebhook) => void;

/** An HTTP server on 127.0.0.1 that receives webhook deliveries. */
export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string;
  /** All requests, in the order of their arrival. */
  readonly received: readonly ReceivedWebhook[];
  /** Responds to each request. Tests can replace this function at any time. By default, it accepts every request. */
  answer: WebhookAnswerer;
  /** Waits until `count` requests have arrived, and returns all received requests. */
  wait(count: number): Promise<readonly ReceivedWebhook[]>;
  /** Returns the types of the events that have arrived. */
  types(): string[];
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const webhook = { headers: request.headers, body, event: JSON.parse(body) as EventJson };
    received.push(webhook);
    receiver.answer(response, webhook);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/calltrack`,
    received,
    answer: (response) => response.end(),
    async wait(count) {
      await expect.poll(() => received.length).toBeGreaterThanOrEqual(count);
      return received;
    },
    types: () => received.map(({ event }) => event.type),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

export function answerWith(status: number, body = "", headers: Readonly<Record<string, string>> = {}): WebhookAnswerer {
  return (response) => response.writeHead(status, headers).end(body);
}
