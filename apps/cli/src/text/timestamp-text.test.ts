import { timestampDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { parseTimestamp } from "./timestamp-text.js";

test.each([
  ["2026-11-21T08:30:00Z", "2026-11-21T08:30:00.000Z"],
  ["2026-11-21T08:30:00.12Z", "2026-11-21T08:30:00.120Z"],
  ["2026-11-21T08:30:00+02:00", "2026-11-21T06:30:00.000Z"],
  ["2028-02-29T23:30:00-02:00", "2028-03-01T01:30:00.000Z"],
])("parses %s as %s", (text, iso) => {
  const timestamp = parseTimestamp(text);
  expect(timestamp && timestampDate(timestamp).toISOString()).toBe(iso);
});

test.each([
  ...["", "now", "2026-11-21", "2026-11-21T08:30:00", "2026-13-21T08:30:00Z", "2027-02-30T08:30:00Z"],
  ...["2027-02-29T08:30:00+02:00", "2026-11-31T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T25:00:00Z"],
])("rejects %j", (text) => {
  expect(parseTimestamp(text)).toBeUndefined();
});
