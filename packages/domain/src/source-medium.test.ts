import fc from "fast-check";
import { expect, test } from "vitest";
import { compareSources, createSourceKey, formatSource, type SourceMedium } from "./source-medium.js";
import { anyText } from "./testing/any-text.js";

const TRICKY: readonly SourceMedium[] = [
  { source: "", medium: "" },
  { source: "", medium: "a" },
  { source: "a", medium: "" },
  { source: "a", medium: "b" },
  { source: "ab", medium: "" },
  { source: "1:", medium: "" },
  { source: "", medium: "1:" },
  { source: "a / b", medium: "c" },
  { source: "a", medium: "b / c" },
  { source: "a\0", medium: "b" },
  { source: "a", medium: "\0b" },
  { source: "\ud83d", medium: "\udcde" },
  { source: "\ud83d\udcde", medium: "" },
];

const anySource = fc.oneof(fc.constantFrom(...TRICKY), fc.record({ source: anyText(5), medium: anyText(5) }));

test("keys and comparisons are equal only for equal sources", () => {
  fc.assert(
    fc.property(anySource, anySource, (one, other) => {
      const areEqual = one.source === other.source && one.medium === other.medium;
      expect(createSourceKey(one) === createSourceKey(other)).toBe(areEqual);
      expect(compareSources(one, other) === 0).toBe(areEqual);
      expect(Math.sign(compareSources(one, other)) + Math.sign(compareSources(other, one))).toBe(0);
    }),
    { numRuns: 2000 },
  );
});

test.each<[source: string, medium: string, text: string]>([
  ["google", "cpc", "google / cpc"],
  ["(direct)", "(none)", "(direct) / (none)"],
  ["", "", " / "],
  ["a\x1b[31m", "b\n", "a\\u001b[31m / b\\n"],
  ["a".repeat(81), "b", `${"a".repeat(80)}… / b`],
])("formats %j and %j", (source, medium, text) => {
  expect(formatSource({ source, medium })).toBe(text);
});
