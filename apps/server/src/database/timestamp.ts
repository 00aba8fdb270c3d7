import type { Timestamp } from "@bufbuild/protobuf/wkt";

/** Converts a time from PostgreSQL to a protobuf Timestamp, in milliseconds. */
export function timestampOf(moment: Date): Timestamp {
  const milliseconds = moment.getTime();
  const seconds = Math.floor(milliseconds / 1000);
  const nanos = (milliseconds - seconds * 1000) * 1_000_000;
  return { $typeName: "google.protobuf.Timestamp", seconds: BigInt(seconds), nanos };
}
