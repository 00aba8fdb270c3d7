import { fromJson } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";

/** Reads a moment as RFC 3339 and JSON have it, with `Z` or an offset. Returns undefined for any other text. */
export function parseTimestamp(text: string): Timestamp | undefined {
  try {
    return fromJson(TimestampSchema, text);
  } catch {
    return undefined;
  }
}
