import { expect, test } from "vitest";
import { formatEtag, parseEtag } from "./etag.js";

test.each([
  "2026-11-21T08:30:00.000Z",
  "2026-11-21T08:30:00.007Z",
  "2026-11-21T08:30:00.120Z",
  "2026-11-21T08:30:59.999Z",
  "1971-01-01T00:00:00.001Z",
  "5138-11-16T09:46:39.999Z",
])("the etag of %s represents only that time", (moment) => {
  const etag = formatEtag(new Date(moment));
  expect(etag).toBe(`"${Date.parse(moment)}"`);
  expect(parseEtag(etag)).toBe(moment);
});

test.each(['"0"', '"01"', '"-1"', '"1.5"', '"1e3"', '""', "1", 'W/"1"', `"${"9".repeat(15)}"`])(
  "%s is not an etag",
  (etag) => expect(parseEtag(etag)).toBeUndefined(),
);
