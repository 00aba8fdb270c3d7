import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { requestJson } from "./workloads/send-json.ts";

/**
 * Creates a webhook endpoint for the events of all accounts. Its receiver runs in this process and accepts each request immediately.
 *
 * @param onBody gets the body of each request.
 */
export async function createWebhookReceiver(
  resources: AsyncDisposableStack,
  port: number,
  onBody: (body: string) => void,
): Promise<void> {
  const receiver = createServer(async (request, response) => {
    const body = await text(request);
    response.writeHead(204).end();
    onBody(body);
  }).listen(0, "127.0.0.1");
  resources.defer(() => void receiver.close().closeAllConnections());
  await once(receiver, "listening");
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const body = JSON.stringify({ url, concurrency: 50 });
  await requestJson(port, { method: "POST", path: "/dni_manager/webhook_endpoints", body });
}
