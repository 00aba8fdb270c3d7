import { type Duration, durationFromMs, durationMs } from "@bufbuild/protobuf/wkt";
import { type WebhookPayload, WebhookPayloadSchema } from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { listEnumValues } from "../../format/enum-text";

const HOUR_SECONDS = 3600;

/** Sent for text that is not a number. The server rejects this value, and the form shows the server's message below the field. */
const INVALID_SECONDS = -1;

export const EVENT_TYPES_HINT =
  "Event types such as call.ended or call.*, separated by commas. Leave empty for all events.";

export const MAX_EVENT_AGE_HINT =
  "Calltrack does not send events about calls that started more than this number of hours before the event.";

/** The payload options of a form: the numeric value and the label of each `WebhookPayload`. */
export const PAYLOAD_SELECT_OPTIONS = listEnumValues<WebhookPayload>(WebhookPayloadSchema).map(
  ([name, value]) =>
    [String(value), name === "full" ? "full: with the resource" : `${name}: without the resource`] as const,
);

/** Splits a list of event types at commas and spaces. */
export function splitEventTypes(text = ""): string[] {
  return text.replaceAll(",", " ").split(" ").filter(Boolean);
}

/** Converts the number of hours in a text field to seconds. Returns `INVALID_SECONDS` for text that is not a number. */
export function parseHoursAsSeconds(text = ""): number {
  const seconds = Math.round(Number(text) * HOUR_SECONDS);
  return text !== "" && Math.abs(seconds) < 2 ** 31 ? seconds : INVALID_SECONDS;
}

export function parseMaxAge(text?: string): Duration {
  return durationFromMs(parseHoursAsSeconds(text) * 1000);
}

/** Formats a maximum age in hours; `0` if it is absent. */
export function formatMaxAgeHours(maxAge: Duration | undefined): string {
  return String(maxAge === undefined ? 0 : durationMs(maxAge) / 1000 / HOUR_SECONDS);
}
