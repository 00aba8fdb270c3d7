import { type Event, EventSchema } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import { WebhookPayload } from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { rowFromMessage } from "../../output/output-row.js";

/** Maximum size of a request body, as on the server. A body that would be larger omits the resource of the event. */
const MAX_BODY_BYTES = 64 * 1024;

/** The event fields that can contain the resource. A thin body omits these fields. */
const RESOURCES: ReadonlySet<string> = new Set(
  EventSchema.oneofs.flatMap(({ fields }) => fields.map(({ name }) => name)),
);

/** Returns the body of the request that a webhook endpoint receives for an event. */
export function createWebhookBody(event: Event, payload: WebhookPayload): string {
  const row = rowFromMessage(EventSchema, event);
  const full = JSON.stringify(row);
  if (payload !== WebhookPayload.THIN && Buffer.byteLength(full) <= MAX_BODY_BYTES) return full;
  return JSON.stringify(Object.fromEntries(Object.entries(row).filter(([name]) => !RESOURCES.has(name))));
}
