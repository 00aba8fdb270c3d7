import type { Timestamp } from "@bufbuild/protobuf/wkt";

const FIRST_MS = Date.parse("0001-01-01T00:00:00Z");
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Converts a time from PostgreSQL to a protobuf Timestamp with millisecond precision.
 *
 * @throws Error for a time that a Timestamp cannot represent, such as `infinity`.
 */
export function toTimestamp(moment: Date): Timestamp {
  // `pg` returns the times `infinity` and `-infinity` as numbers.
  const milliseconds = moment instanceof Date ? moment.getTime() : moment;
  const isInRange = milliseconds >= FIRST_MS && milliseconds <= LAST_MS;
  if (!isInRange)
    throw new Error("a time in the database is not within the years 1 to 9999, so the response cannot contain it");
  const seconds = Math.floor(milliseconds / 1000);
  const nanos = (milliseconds - seconds * 1000) * 1_000_000;
  return { $typeName: "google.protobuf.Timestamp", seconds: BigInt(seconds), nanos };
}
