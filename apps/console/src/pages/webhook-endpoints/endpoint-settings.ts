import { type Duration, durationFromMs, durationMs } from "@bufbuild/protobuf/wkt";
import { type WebhookPayload, WebhookPayloadSchema } from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { enumEntries } from "../../format/enum-text";

const HOUR_SECONDS = 3600;

/** Stands for text that is not a number. The server rejects it, and its message is shown at the field. */
const INVALID_SECONDS = -1;

export const TYPES_HINT = "Such as call.ended or call.*, separated by commas. Leave empty for all events.";

export const MAX_AGE_HINT = "Events about a call are not sent if the call started longer ago.";

/** The options for the payload, by the number of the enum value. */
export const PAYLOAD_OPTIONS = enumEntries<WebhookPayload>(WebhookPayloadSchema).map(
  ([name, value]) =>
    [String(value), name === "full" ? "full: with the resource" : `${name}: without the resource`] as const,
);

/** Splits a list of event types at commas and spaces. */
export function splitEventTypes(text = ""): string[] {
  return text.replaceAll(",", " ").split(" ").filter(Boolean);
}

/** Converts hours that a person typed to seconds. Returns `INVALID_SECONDS` for text that is not a number. */
export function hoursToSeconds(text = ""): number {
  const seconds = Math.round(Number(text) * HOUR_SECONDS);
  return text !== "" && Math.abs(seconds) < 2 ** 31 ? seconds : INVALID_SECONDS;
}

export function parseMaxAge(text?: string): Duration {
  return durationFromMs(hoursToSeconds(text) * 1000);
}

/** Formats a maximum age in hours; `0` if it is absent. */
export function hoursText(maxAge: Duration | undefined): string {
  return String(maxAge === undefined ? 0 : durationMs(maxAge) / 1000 / HOUR_SECONDS);
}
