import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { WebhookPayloadStyle } from "@calltrack/domain";
import { type Event, EventSchema } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import { signWebhookRequest } from "@calltrack/domain/webhook-signature";
import { createResponseEncoder } from "@calltrack/transcoding";
import { JSON_MESSAGE_FORMAT } from "../errors/json-transcoding-options.js";

/** If the body would be larger, the event is sent without its resource. */
const MAX_BODY_BYTES = 64 * 1024;

/** Encodes events in the same way as the JSON paths. */
const { encode } = createResponseEncoder(EventSchema, undefined, JSON_MESSAGE_FORMAT);

export interface DeliveryRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The `updated_at` of the event's call, even if the body does not contain the call; undefined if the event has no call. */
  readonly updatedAt: Date | undefined;
}

/**
 * Creates the HTTP request of a delivery. The body is the event in the format of the JSON paths.
 *
 * @param secrets the secrets of the webhook endpoint; empty if the server cannot decrypt them.
 * @returns the request, or the human-readable reason why it cannot be created.
 */
export function createDeliveryRequest(
  event: Event,
  payload: WebhookPayloadStyle,
  secrets: readonly string[],
): DeliveryRequest | string {
  if (secrets.length === 0)
    return "the server cannot decrypt the secrets of the webhook endpoint: rotate them, or set the SECRETS_KEY that encrypted them";
  const full = payload === "full" ? encode(event) : "";
  const isThin = payload === "thin" || Buffer.byteLength(full) > MAX_BODY_BYTES;
  const body = isThin ? encode({ ...event, resource: { case: undefined } } as Event) : full;
  const updatedAt = event.resource.case === "call" ? event.resource.value.updatedAt : undefined;
  return {
    headers: signWebhookRequest(event.id, new Date(), body, secrets),
    body,
    updatedAt: updatedAt && timestampDate(updatedAt),
  };
}
