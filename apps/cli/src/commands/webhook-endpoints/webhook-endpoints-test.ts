import { setTimeout as sleep } from "node:timers/promises";
import {
  type WebhookDelivery,
  WebhookDeliveryStatus,
  WebhookEndpointService,
} from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import type { CliCommand } from "../../invocation/cli-command.js";
import type { Invocation } from "../../invocation/invocation.js";
import { parseTimeoutOption } from "../../options/option-value.js";
import { FailedCheckError } from "../../process/failed-check-error.js";
import { showDelivery } from "./delivery-view.js";
import { type AccountOption, addEndpointArguments, EXAMPLE_ENDPOINT_ID } from "./endpoint-arguments.js";

/** Twice the server's time limit for an attempt. */
const DEFAULT_WAIT_MS = 30_000;

const POLL_MS = 250;

/** Number of deliveries to read at a time, newest first. The delivery of the test event is usually one of the newest. */
const PAGE_SIZE = 20;

interface TestOptions extends AccountOption {
  /** In milliseconds. */
  readonly wait?: number;
}

export function addEndpointTestCommand(endpoints: CliCommand): void {
  const description =
    "send a test event to a webhook endpoint, and show whether the webhook endpoint accepted the event; exits with code 1 if not";
  addEndpointArguments(endpoints.command("test").description(description))
    .option("--wait <time>", "how long to wait for the result (default: 30s)", parseTimeoutOption)
    .run(async (invocation, webhookEndpointId: string, { account: accountId, wait = DEFAULT_WAIT_MS }: TestOptions) => {
      const endpoint = { accountId, webhookEndpointId };
      const sent = await invocation.client(WebhookEndpointService).testWebhookEndpoint(endpoint);
      const delivery = await awaitResult(invocation, endpoint, sent, Date.now() + wait);
      const isAccepted = delivery.status === WebhookDeliveryStatus.DELIVERED;
      await showDelivery(invocation, delivery, { is_accepted: isAccepted });
      if (isAccepted) return;
      if (!hasResult(delivery))
        throw new FailedCheckError(
          "the test event has no result yet: run calltrack webhook-endpoints deliveries later",
        );
      throw new FailedCheckError(`the webhook endpoint did not accept the test event: ${delivery.failure}`);
    })
    .examples(`calltrack webhook-endpoints test ${EXAMPLE_ENDPOINT_ID} --account acme`);
}

interface EndpointReference {
  readonly accountId: string | undefined;
  readonly webhookEndpointId: string;
}

function hasResult({ attempts }: WebhookDelivery): boolean {
  return attempts > 0;
}

/** Polls a delivery until its first attempt has a result, or until the deadline (in milliseconds since 1970) passes. */
async function awaitResult(
  invocation: Invocation,
  endpoint: EndpointReference,
  sent: WebhookDelivery,
  deadline: number,
): Promise<WebhookDelivery> {
  let delivery = sent;
  while (!hasResult(delivery) && Date.now() < deadline) {
    await sleep(POLL_MS, undefined, { signal: invocation.host.interrupt.stop });
    delivery = (await findDelivery(invocation, endpoint, sent.id)) ?? delivery;
  }
  return delivery;
}

/** Searches the deliveries for an id, from the newest delivery backward. Returns undefined if no delivery has the id. */
async function findDelivery(
  invocation: Invocation,
  endpoint: EndpointReference,
  id: string,
): Promise<WebhookDelivery | undefined> {
  const client = invocation.client(WebhookEndpointService);
  let pageToken: string | undefined;
  do {
    const page = await client.listWebhookDeliveries({ ...endpoint, pageSize: PAGE_SIZE, pageToken });
    const found = page.webhookDeliveries.find((delivery) => delivery.id === id);
    if (found !== undefined) return found;
    const last = page.webhookDeliveries.at(-1);
    pageToken = last !== undefined && BigInt(last.id) > BigInt(id) ? page.nextPageToken : "";
  } while (pageToken !== "");
  return undefined;
}
