import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { parseImportedTime, TIME_EXPECTATION } from "../text/file-time.js";
import type { ParseResult } from "../text/parse-result.js";
import type { TimeZone } from "../text/time-zone.js";
import type { DayMonthOrder } from "./call-log-format.js";

const MONTHS = [
  ...["january", "february", "march", "april", "may", "june"],
  ...["july", "august", "september", "october", "november", "december"],
];

const ZONE = String.raw`(z|utc|gmt|[ecmp][sd]t|(?:utc|gmt)?[+-]\d{2}(?::?\d{2})?)?`;
/** A time of day, with or without an offset. */
const CLOCK = String.raw`(\d{1,2}):(\d{2})(?::(\d{2}(?:[.,]\d+)?))?\s*(?:([ap])\.?\s?m\.?)?\s*${ZONE}`;
const YEAR_FIRST = new RegExp(String.raw`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:t|\s+)${CLOCK}$`);
/** Times such as `21.11.26 8:30`: a two-digit year always comes last. */
const YEAR_LAST = new RegExp(String.raw`^(?:[a-z]{2,3},?\s+)?(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2}),?\s+${CLOCK}$`);
/** Times such as `Sat, 21 Nov 2026 08:30:00 +0000`: the format of e-mails (RFC 5322), and of Twilio's API. */
const DAY_MONTH = new RegExp(String.raw`^(?:[a-z]{3},?\s+)?(\d{1,2})[\s-]+([a-z]{3,9})[\s-]+(\d{4}),?\s+${CLOCK}$`);
/** Times such as `Nov 21, 2026, 8:30:00 AM`: the format of JavaScript's `Date`, and of browsers in the United States. */
const MONTH_DAY = new RegExp(String.raw`^(?:[a-z]{3},?\s+)?([a-z]{3,9})\s+(\d{1,2}),?\s+(\d{4}),?\s+${CLOCK}$`);
const DIGITS = new RegExp(String.raw`^(\d{4})(\d{2})(\d{2})[t\s]?(\d{2})(\d{2})(\d{2}(?:[.,]\d+)?)${ZONE}$`);
/** Matches Unix times since September 2001: ten digits for the seconds, then optionally those for milliseconds or microseconds. */
const SINCE_1970 = /^(\d{10})(?:\.(\d+)|(\d{3}|\d{6}))?$/;
/** Times such as `08:30:00 UTC 2026-11-21`: the format of Twilio's console. */
const DATE_LAST = /^(.+)\s(\d{4}-\d{2}-\d{2})$/;
/**
 * The hours by which standard times in North America are behind UTC. Each key is the first letter of a time zone name in e-mails, such as `e` for
 * `EST` (RFC 5322).
 */
const NORTH_AMERICAN_OFFSETS = new Map([
  ["e", 5],
  ["c", 6],
  ["m", 7],
  ["p", 8],
]);

const EXPECTED_LOG_TIME =
  "must be a time such as 2026-11-21 08:30:00+01, 21.11.26 8:30, 11/21/2026 8:30 AM, Nov 21 2026 8:30:00 AM, 20261121083000, or the number of " +
  "seconds, milliseconds or microseconds since 1970";

export interface CallLogTimeRules {
  /** The time zone of times without an offset. */
  readonly timeZone: TimeZone | undefined;
  readonly dateOrder: DayMonthOrder | undefined;
}

/** Parses a time in one of the formats that phone systems write. */
export function parseCallLogTime(text: string, { timeZone, dateOrder }: CallLogTimeRules): ParseResult<Timestamp> {
  const [, seconds, fraction, digits = ""] = SINCE_1970.exec(text.trim()) ?? [];
  if (seconds !== undefined)
    return { value: timestampFromMs(Math.floor(Number(`${seconds}.${fraction ?? digits}`) * 1000)) };
  const shown = detectDayMonthOrder(text);
  const order = shown === "unknown" ? dateOrder : shown;
  if (shown !== undefined && order === undefined)
    return { expectation: "has a day and a month in an unknown order: set date_order with --mapping" };
  if (order !== undefined && order !== (dateOrder ?? order))
    return { expectation: `is not a ${dateOrder} date: correct the date, or set date_order with --mapping` };
  const iso = isoTimeOf(plainText(text), order);
  const read = iso === undefined ? undefined : parseImportedTime(iso, timeZone);
  if (read === undefined || ("expectation" in read && read.expectation === TIME_EXPECTATION))
    return { expectation: EXPECTED_LOG_TIME };
  return read;
}

/**
 * Returns the order of day and month in the date of a text. Returns `unknown` if both orders are possible.
 *
 * Returns undefined if the order does not matter, or if the text has no date that ends with the year.
 */
export function detectDayMonthOrder(text: string): DayMonthOrder | "unknown" | undefined {
  const [, one, separator, other] = YEAR_LAST.exec(plainText(text)) ?? [];
  // In dates with dots, the day always comes first.
  if (separator === undefined || separator === ".") return undefined;
  const [first, second] = [Number(one), Number(other)];
  if (first === second || Math.min(first, second) > 12) return undefined;
  if (first > 12) return "day-first";
  return second > 12 ? "month-first" : "unknown";
}

function plainText(text: string): string {
  return text.trim().toLowerCase().replace(DATE_LAST, "$2 $1");
}

/** Converts a time to `2026-11-21T08:30:00`, with its offset if it has one. Returns undefined for unknown formats. */
function isoTimeOf(text: string, order: DayMonthOrder | undefined): string | undefined {
  const match = (pattern: RegExp) => pattern.exec(text)?.slice(1) as string[] | undefined;
  const [yearFirst, dayMonth, monthDay, yearLast] = [YEAR_FIRST, DAY_MONTH, MONTH_DAY, YEAR_LAST].map(match);
  if (yearFirst) return isoText(yearFirst, yearFirst.slice(3));
  if (dayMonth) return isoText([dayMonth[2], monthNumber(dayMonth[1]), dayMonth[0]], dayMonth.slice(3));
  if (monthDay) return isoText([monthDay[2], monthNumber(monthDay[0]), monthDay[1]], monthDay.slice(3));
  if (yearLast) {
    const [first, , second, year = ""] = yearLast;
    const [month, day] = order === "month-first" ? [first, second] : [second, first];
    return isoText([year.length === 2 ? `20${year}` : year, month, day], yearLast.slice(4));
  }
  const digits = match(DIGITS);
  if (digits === undefined) return undefined;
  const [hour, minute, second, zone] = digits.slice(3);
  return isoText(digits, [hour, minute, second, undefined, zone]);
}

/** Returns the number of a month as text, from `1` to `12`; `0` if no month has this name. The name may be abbreviated to three or more letters. */
function monthNumber(name = ""): string {
  return String(MONTHS.findIndex((month) => month.startsWith(name)) + 1);
}

function isoText(
  [year, month, day]: readonly (string | undefined)[],
  [hour = "", minute, second = "00", half, zone = ""]: readonly (string | undefined)[],
): string | undefined {
  if (half === "a" && Number(hour) > 12) return undefined;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === "p" ? 12 : 0);
  const two = (part: unknown) => String(part).padStart(2, "0");
  const offset = /([+-]\d{2}):?(\d{2})?$/.exec(zone);
  const standard = zone.endsWith("t") && NORTH_AMERICAN_OFFSETS.get(zone.slice(0, 1));
  const named = standard ? `-${two(standard - Number(zone[1] === "d"))}:00` : zone && "Z";
  const suffix = offset === null ? named : `${offset[1]}:${offset[2] ?? "00"}`;
  return `${year}-${two(month)}-${two(day)}T${two(hours)}:${minute}:${second.replace(",", ".")}${suffix}`;
}
