import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { parseDuration } from "./duration.js";
import { requireValue } from "./option-value.js";
import { parseTimestamp } from "./timestamp-text.js";

/** Reads the value of an option that names a moment. */
export function parseTimestampOption(text: string): Timestamp {
  return requireValue(parseTimestamp(text), "It must be a time such as 2026-11-21T08:30:00Z.");
}

/** Reads the value of an option that says when something ends: a moment, or how far it is from now. */
export function parseExpiryOption(text: string): Timestamp {
  const ms = parseDuration(text);
  const end = ms === undefined ? parseTimestamp(text) : timestampFromMs(Date.now() + ms);
  return requireValue(end, "It must be a time such as 90d or 2027-11-20T00:00:00Z.");
}

/** Reads the value of an option that says when something was: a moment, or how long it was ago. */
export function parsePastOption(text: string): Timestamp {
  const ms = parseDuration(text);
  const moment = ms === undefined ? parseTimestamp(text) : timestampFromMs(Date.now() - ms);
  return requireValue(moment, "It must be a time such as 30d or 2026-11-21T08:30:00Z.");
}
