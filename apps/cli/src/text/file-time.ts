import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { ParseResult } from "./parse-result.js";
import { listInstantsOfLocalTime, type TimeZone } from "./time-zone.js";
import { parseTimestamp } from "./timestamp-text.js";

/** The accepted formats: a date and a time of day, with or without an offset. */
const TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?(?: ?(Z|UTC|[+-]\d{2}:?\d{2}))?$/;

/** Describes valid times, for error messages. */
export const TIME_EXPECTATION = "must be a time such as 2026-11-21T08:30:00Z";

/**
 * Parses a time in a file: RFC 3339 or `2026-11-21 08:30:00`, with or without seconds.
 *
 * @param zone the time zone of times without an offset; if undefined, such times are invalid.
 */
export function parseImportedTime(text: string, zone: TimeZone | undefined): ParseResult<Timestamp> {
  const [, date, time, seconds = ":00", offset] = TIME.exec(text.trim()) ?? [];
  const local = `${date}T${time}${seconds}`;
  const timestamp = parseTimestamp(local + (offset === undefined ? "Z" : offsetText(offset)));
  if (timestamp === undefined) return { expectation: TIME_EXPECTATION };
  if (offset !== undefined) return { value: timestamp };
  if (zone === undefined) {
    return { expectation: "must have an offset from UTC: add one, such as +02:00, or pass --time-zone" };
  }
  const clockMs = Number(timestamp.seconds) * 1000;
  const [moment, other] = listInstantsOfLocalTime(clockMs, zone);
  if (moment === undefined) {
    return { expectation: `does not exist in ${zone.name}, because clocks were set forward: correct it` };
  }
  if (other === undefined) return { value: { ...timestamp, seconds: BigInt(moment / 1000) } };
  const [first, second] = [moment, other].map((ms) => local + printOffset(clockMs - ms));
  return { expectation: `occurs twice in ${zone.name}, because clocks were set back: write ${first} or ${second}` };
}

function offsetText(offset: string): string {
  return offset === "UTC" ? "Z" : offset.replace(/(\d{2}):?(\d{2})$/, "$1:$2");
}

function printOffset(ms: number): string {
  const minutes = Math.abs(ms) / 60_000;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0"));
  return `${ms < 0 ? "-" : "+"}${hours}:${rest}`;
}
