import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";

const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

/** Formats a time in the reader's zone. */
export function timeText(time: Date): string {
  return dateAndTime.format(time);
}

/** Formats a time in UTC, such as `2026-11-20 21:01:15 UTC`. */
export function utcText(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** Formats the distance of a time from now, such as `in 3 min.`. */
export function relativeText(time: Date, now = Date.now()): string {
  const distance = time.getTime() - now;
  const [unit, length] = UNITS.find(([, ms]) => Math.abs(distance) >= ms) ?? UNITS[3];
  return relative.format(Math.round(distance / length), unit);
}

/** Converts a timestamp of the API; undefined if it is absent. */
export function dateOf(timestamp: Timestamp | undefined): Date | undefined {
  return timestamp && timestampDate(timestamp);
}
