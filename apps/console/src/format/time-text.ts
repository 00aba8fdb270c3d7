import { type Timestamp, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";

/** Formats a Date, or milliseconds since 1970, in the browser's time zone. */
export const formatTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" }).format;

export const formatTimeWithSeconds = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })
  .format;

/** Returns text such as `2026-11-20 21:01:15 UTC`. */
export function formatUtcTime(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

export function timestampToDate(timestamp: Timestamp | undefined): Date | undefined {
  return timestamp && timestampDate(timestamp);
}

/** Parses the value of a `datetime-local` input in the browser's time zone. Returns undefined if the text is empty or not a time. */
export function parseLocalTime(text = ""): Timestamp | undefined {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : timestampFromDate(time);
}
