import type { Timestamp } from "@bufbuild/protobuf/wkt";

/** The message of a moment that PostgreSQL gave, with its milliseconds. */
export function timestampOf(moment: Date): Timestamp {
  const milliseconds = moment.getTime();
  const seconds = Math.floor(milliseconds / 1000);
  const nanos = (milliseconds - seconds * 1000) * 1_000_000;
  return { $typeName: "google.protobuf.Timestamp", seconds: BigInt(seconds), nanos };
}
