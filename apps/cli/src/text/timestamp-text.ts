import { fromJson } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";

/** Parses an RFC 3339 timestamp with `Z` or an offset. Returns undefined for other text. */
export function parseTimestamp(text: string): Timestamp | undefined {
  try {
    return fromJson(TimestampSchema, text);
  } catch {
    return undefined;
  }
}
