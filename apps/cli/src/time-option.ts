import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { parseDuration } from "./duration.js";
import { requireValue } from "./option-value.js";
import { parseTimestamp } from "./timestamp-text.js";

/** Parses an option whose value is a timestamp. */
export function parseTimestampOption(text: string): Timestamp {
  return requireValue(parseTimestamp(text), "Must be a time such as 2026-11-21T08:30:00Z.");
}

/** Parses an option whose value is a future time: a timestamp, or a duration from now. */
export function parseExpiryOption(text: string): Timestamp {
  const ms = parseDuration(text);
  const end = ms === undefined ? parseTimestamp(text) : timestampFromMs(Date.now() + ms);
  return requireValue(end, "Must be a time such as 90d or 2027-11-20T00:00:00Z.");
}

/** Parses an option whose value is a past time: a timestamp, or a duration before now. */
export function parsePastOption(text: string): Timestamp {
  const ms = parseDuration(text);
  const moment = ms === undefined ? parseTimestamp(text) : timestampFromMs(Date.now() - ms);
  return requireValue(moment, "Must be a time such as 30d or 2026-11-21T08:30:00Z.");
}
