import { type Duration, durationFromMs, durationMs } from "@bufbuild/protobuf/wkt";
import { type WebhookPayload, WebhookPayloadSchema } from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { enumEntries } from "../../format/enum-text";

const HOUR_SECONDS = 3600;

/** The seconds of a time that is no number: the server rejects them with its own words. */
const INVALID_SECONDS = -1;

/** Text below the field of event types. */
export const TYPES_HINT = "Such as call.ended or call.*, separated by commas. Empty for all.";

/** Text below the field of the maximum age. */
export const MAX_AGE_HINT = "Events of calls that started longer ago are not sent.";

/** The payloads to choose from, by their numbers. */
export const PAYLOAD_OPTIONS = enumEntries<WebhookPayload>(WebhookPayloadSchema).map(
  ([name, value]) =>
    [String(value), name === "full" ? "full: with the resource" : `${name}: without the resource`] as const,
);

/** Returns the event types that a person typed, separated by commas or spaces. */
export function typedTypes(text = ""): string[] {
  return text.replaceAll(",", " ").split(" ").filter(Boolean);
}

/** Returns the seconds of a number of hours that a person typed. */
export function typedHours(text = ""): number {
  const seconds = Math.round(Number(text) * HOUR_SECONDS);
  return text !== "" && Math.abs(seconds) < 2 ** 31 ? seconds : INVALID_SECONDS;
}

/** Returns the maximum age of a number of hours that a person typed. */
export function typedMaxAge(text?: string): Duration {
  return durationFromMs(typedHours(text) * 1000);
}

/** Formats a maximum age as hours. */
export function hoursText(maxAge: Duration | undefined): string {
  return String(maxAge === undefined ? 0 : durationMs(maxAge) / 1000 / HOUR_SECONDS);
}
