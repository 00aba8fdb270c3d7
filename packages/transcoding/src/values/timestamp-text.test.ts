import { toJson } from "@bufbuild/protobuf";
import { TimestampSchema, timestampFromMs } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatTimestamp, parseTimestamp } from "./timestamp-text.js";

describe("timestamps in ProtoJSON", () => {
  test.each([
    ["1970-01-01T00:00:00Z", 0n, 0],
    ["2026-11-20T21:01:15.933Z", 1795208475n, 933_000_000],
    ["2024-02-29T23:59:59.000000001Z", 1709251199n, 1],
    ["2000-01-01T00:00:00+23:59", 946598460n, 0],
    ["1999-12-31T23:59:59.5-00:30", 946686599n, 500_000_000],
    ["0001-01-01T00:00:00Z", -62135596800n, 0],
    ["9999-12-31T23:59:59.999999999Z", 253402300799n, 999_999_999],
    ["1969-12-31T23:59:59.25Z", -1n, 250_000_000],
  ])("parses %s", (text, seconds, nanos) => {
    expect(parseTimestamp(text)).toMatchObject({ seconds, nanos });
  });

  test.each([
    "",
    "2026-11-20",
    "2026-11-20T21:01:15",
    "2026-11-20 21:01:15Z",
    "2026-11-20t21:01:15Z",
    "2026-11-20T21:01:15z",
    "2026-11-20T21:01Z",
    "2026-11-20T21:01:15.Z",
    "2026-11-20T21:01:15.1234567890Z",
    "2026-11-20T21:01:15+0100",
    "2026-11-20T21:01:15+24:00",
    "2026-11-20T21:01:15+01:60",
    "2026-02-29T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:60:00Z",
    "2026-01-01T23:59:60Z",
    "0000-12-31T23:59:59Z",
    "0001-01-01T00:00:00+00:01",
    "10000-01-01T00:00:00Z",
    " 2026-01-01T00:00:00Z",
    "2026-01-01T00:00:00Z\n",
    "1700000000",
  ])("rejects %j", (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });

  test("formats like protobuf-es, and parses the result", () => {
    const seconds = fc.bigInt({ min: -62135596800n, max: 253402300799n });
    const nanos = fc.oneof(fc.constantFrom(0, 1_000_000, 999_000, 10), fc.integer({ min: 0, max: 999_999_999 }));
    fc.assert(
      fc.property(seconds, nanos, (seconds, nanos) => {
        const timestamp = { ...timestampFromMs(0), seconds, nanos };
        const text = formatTimestamp(timestamp);
        expect(text).toBe(toJson(TimestampSchema, timestamp));
        expect(parseTimestamp(text)).toEqual(timestamp);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    [-62135596801n, 0],
    [253402300800n, 0],
    [0n, -1],
    [0n, 1_000_000_000],
  ])("rejects %s s and %s ns when formatting", (seconds, nanos) => {
    expect(() => formatTimestamp({ ...timestampFromMs(0), seconds, nanos })).toThrow("google.protobuf.Timestamp");
  });
});
