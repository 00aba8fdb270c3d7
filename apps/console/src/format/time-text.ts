import { type Timestamp, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";

/** Formats a time in the reader's zone: a date, or milliseconds since 1970. */
export const timeText = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" }).format;

/** Formats a time in the reader's zone with its seconds. */
export const timeWithSecondsText = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })
  .format;

/** Formats a time in UTC, such as `2026-11-20 21:01:15 UTC`. */
export function utcText(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** Converts a timestamp of the API; undefined if it is absent. */
export function dateOf(timestamp: Timestamp | undefined): Date | undefined {
  return timestamp && timestampDate(timestamp);
}

/** Parses a time of the reader's zone that a person typed; undefined if there is none. */
export function typedTime(text = ""): Timestamp | undefined {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : timestampFromDate(time);
}
