import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { WebhookPayload } from "@calltrack/domain";
import { type Event, EventSchema } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import { signWebhook } from "@calltrack/domain/webhook-signature";
import { createResponseEncoder } from "@calltrack/transcoding";
import { PATH_JSON } from "../errors/json-path-options.js";

/** A body with its resource that is larger is sent without it. */
const MAX_BODY_BYTES = 64 * 1024;

/** As the JSON paths list events. */
const { encode } = createResponseEncoder(EventSchema, undefined, PATH_JSON);

/** A signed request of a delivery. */
export interface DeliveryRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** When the call that it shows changed last; undefined if it shows none. */
  readonly updatedAt: Date | undefined;
}

/**
 * Makes the request of a delivery: the event as the JSON paths show it.
 *
 * @param secrets none if the server cannot decrypt them.
 * @returns why it cannot be made, for people.
 */
export function createDeliveryRequest(
  event: Event,
  payload: WebhookPayload,
  secrets: readonly string[],
): DeliveryRequest | string {
  if (secrets.length === 0)
    return "the server can decrypt no secret of the webhook endpoint: rotate it, or set the SECRETS_KEY of that time";
  const full = payload === "full" ? encode(event) : "";
  const isThin = payload === "thin" || Buffer.byteLength(full) > MAX_BODY_BYTES;
  const body = isThin ? encode({ ...event, resource: { case: undefined } } as Event) : full;
  const updatedAt = !isThin && event.resource.case === "call" ? event.resource.value.updatedAt : undefined;
  return {
    headers: signWebhook(event.id, new Date(), body, secrets),
    body,
    updatedAt: updatedAt && timestampDate(updatedAt),
  };
}
