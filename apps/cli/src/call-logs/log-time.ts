import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { EXPECTED_TIME, readTime } from "../text/local-time.js";
import type { ReadValue } from "../text/read-value.js";
import type { TimeZone } from "../text/time-zone.js";
import type { DateOrder } from "./call-log-format.js";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** A time of day, with an offset or without. */
const CLOCK = String.raw`(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?\s*(?:([ap])\.?\s?m\.?)?\s*(z|utc|gmt|[ecmp][sd]t|[+-]\d{2}:?\d{2})?`;
const YEAR_FIRST = new RegExp(String.raw`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:t|\s+)${CLOCK}$`);
const YEAR_LAST = new RegExp(String.raw`^(?:[a-z]{2,3},?\s+)?(\d{1,2})([/.-])(\d{1,2})\2(\d{4}),?\s+${CLOCK}$`);
/** The dates of e-mails (RFC 5322), which Twilio's API uses. */
const MONTH_NAME = new RegExp(String.raw`^(?:[a-z]{3},?\s+)?(\d{1,2})[\s-]+([a-z]{3})[\s-]+(\d{4})\s+${CLOCK}$`);
/** Twilio's console: `08:30:00 UTC 2026-11-21`. */
const DATE_LAST = /^(.+)\s(\d{4}-\d{2}-\d{2})$/;
/** The offsets of the standard times of North America, which e-mails may name (RFC 5322). */
const NORTH_AMERICAN_OFFSETS = new Map([
  ["e", 5],
  ["c", 6],
  ["m", 7],
  ["p", 8],
]);

/** How the times of a log are read. */
export interface TimeRules {
  /** The time zone of times without an offset. */
  readonly timeZone: TimeZone | undefined;
  readonly dateOrder: DateOrder | undefined;
}

/** Reads a time as phone systems write it. */
export function readLogTime(text: string, { timeZone, dateOrder }: TimeRules): ReadValue<Timestamp> {
  const shown = dateOrderOf(text);
  const order = shown === "unknown" ? dateOrder : shown;
  if (shown !== undefined && order === undefined)
    return { expectation: "has a date in an unknown order: set date_order with --mapping" };
  if (order !== undefined && order !== (dateOrder ?? order))
    return { expectation: `is not ${dateOrder}: correct it, or set date_order with --mapping` };
  const iso = isoTimeOf(plainText(text), order);
  return iso === undefined ? { expectation: EXPECTED_TIME } : readTime(iso, timeZone);
}

/** Returns the order of day and month that a date shows; undefined if it needs no order. */
export function dateOrderOf(text: string): DateOrder | "unknown" | undefined {
  const [, one, separator, other] = YEAR_LAST.exec(plainText(text)) ?? [];
  // Points separate dates whose day comes first.
  if (separator === undefined || separator === ".") return undefined;
  const [first, second] = [Number(one), Number(other)];
  if (first === second || Math.min(first, second) > 12) return undefined;
  if (first > 12) return "day-first";
  return second > 12 ? "month-first" : "unknown";
}

function plainText(text: string): string {
  return text.trim().toLowerCase().replace(DATE_LAST, "$2 $1");
}

/** Writes a time as `2026-11-21T08:30:00`, with its offset if it has one. Returns undefined for unknown spellings. */
function isoTimeOf(text: string, order: DateOrder | undefined): string | undefined {
  const [yearFirst, yearLast, monthName] = [YEAR_FIRST, YEAR_LAST, MONTH_NAME].map((pattern) => pattern.exec(text));
  if (yearFirst) return isoText(yearFirst[1], yearFirst[2], yearFirst[3], yearFirst.slice(4));
  if (monthName) {
    const month = MONTHS.indexOf(monthName[2] ?? "") + 1;
    return isoText(monthName[3], String(month), monthName[1], monthName.slice(4));
  }
  if (!yearLast) return undefined;
  const [, first, , second, year] = yearLast;
  const [month, day] = order === "month-first" ? [first, second] : [second, first];
  return isoText(year, month, day, yearLast.slice(5));
}

function isoText(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
  [hour = "", minute, second = "00", half, zone = ""]: readonly (string | undefined)[],
): string | undefined {
  if (half === "a" && Number(hour) > 12) return undefined;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === "p" ? 12 : 0);
  const [two, offset] = [
    (part: unknown) => String(part).padStart(2, "0"),
    zone.replace(/^([+-]\d{2})(\d{2})$/, "$1:$2"),
  ];
  const standard = zone.endsWith("t") && NORTH_AMERICAN_OFFSETS.get(zone.slice(0, 1));
  const suffix = standard ? `-${two(standard - Number(zone[1] === "d"))}:00` : offset.replace(/^[a-z]+/, "Z");
  return `${year}-${two(month)}-${two(day)}T${two(hours)}:${minute}:${second}${suffix}`;
}
