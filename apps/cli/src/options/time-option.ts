import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { parseDuration } from "../text/duration.js";
import { parseTimestamp } from "../text/timestamp-text.js";
import { requireOptionValue } from "./option-value.js";

/** A timestamp, or a function that computes it from the current time in milliseconds since 1970. */
export type TimeOption = Timestamp | ((nowMs: number) => Timestamp);

const DAY_MS = 86_400_000;

export function parseTimestampOption(text: string): Timestamp {
  return requireOptionValue(parseTimestamp(text), "Must be a time such as 2026-11-21T08:30:00Z.");
}

/** Parses a future time: a timestamp, or a duration from now. */
export function parseExpiryOption(text: string): TimeOption {
  const ms = parseDuration(text);
  const end = ms === undefined ? parseTimestamp(text) : (nowMs: number) => timestampFromMs(nowMs + ms);
  return requireOptionValue(end, "Must be a time such as 90d (from now) or 2027-11-20T00:00:00Z.");
}

/** Parses a past time: a timestamp, or a duration before now, such as `7d ago` or `7d`. */
export function parsePastTimeOption(text: string): TimeOption {
  const ms = parseDuration(text.replace(/ ago$/, ""));
  const moment = ms === undefined ? parseTimestamp(text) : (nowMs: number) => timestampFromMs(nowMs - ms);
  return requireOptionValue(moment, "Must be a time such as 30d ago or 2026-11-21T08:30:00Z.");
}

/** Like {@link parsePastTimeOption}, but a number of days ago means the start of that day in UTC: reports count visits by UTC days. */
export function parsePastDayOption(text: string): TimeOption {
  const moment = parsePastTimeOption(text);
  const [, days] = /^(\d+)d(?: ago)?$/.exec(text) ?? [];
  if (days === undefined) return moment;
  return (nowMs) => timestampFromMs((Math.floor(nowMs / DAY_MS) - Number(days)) * DAY_MS);
}
