import { fromJson } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";

/**
 * Parses an RFC 3339 timestamp with `Z` or an offset, according to the service's rules. Returns undefined for other text, and for dates that do not
 * exist.
 */
export function parseTimestamp(text: string): Timestamp | undefined {
  // Rejects 24:00:00 and February 30, because Date.parse, which protobuf-es uses, turns them into a time on a later day.
  const local = text.slice(0, 19);
  if (new Date(`${local}Z`).getUTCDate() !== Number(local.slice(8, 10))) return undefined;
  try {
    return fromJson(TimestampSchema, text);
  } catch {
    return undefined;
  }
}
