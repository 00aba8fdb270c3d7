import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanSourceName, findSourceNameProblem, normalizeSourceName } from "./source-name.js";
import { anyText } from "./testing/any-text.js";

test.each<[name: string, normalized: string]>([
  ["google", "google"],
  [" Google\u3000", "google"],
  ["Bu\u0308ro", "büro"],
  ["İstanbul", "i̇stanbul"],
  ["\u212a", "k"],
  ["Spring  Sale", "spring  sale"],
])("%j is stored as %j", (name, normalized) => {
  expect(normalizeSourceName(name)).toBe(normalized);
});

test.each<[name: string, problem: string | undefined]>([
  ["Google", undefined],
  [` ${"x".repeat(255)} `, undefined],
  ["", "must not be empty"],
  ["   ", "must not be empty"],
  ["google\n", "must not contain control, format or unassigned characters"],
  ["x".repeat(256), "must have at most 255 characters"],
  ["İ".repeat(128), "must have at most 255 characters"],
  [`a${"\u0301".repeat(30)}`, undefined],
  [`a${"\u0301\u0323".repeat(15)}\u0301`, "must not contain more than 30 combining marks in a row"],
  ["\u0344".repeat(16), "must not contain more than 30 combining marks in a row"],
])("%j: %s", (name, problem) => {
  expect(findSourceNameProblem(name)).toBe(problem);
});

test("keeps 30 combining marks in a row of any text", () => {
  expect(cleanSourceName(`a\u200b${"\u0323".repeat(20)}\u200b${"\u0323".repeat(20)}b`)).toBe(
    `ạ${"\u0323".repeat(29)}b`,
  );
});

test("names do not change when they are normalized again, and cleaned texts are valid names", () => {
  fc.assert(
    fc.property(anyText(300), (text) => {
      const name = normalizeSourceName(text);
      expect(normalizeSourceName(name)).toBe(name);
      const cleaned = cleanSourceName(text);
      expect(normalizeSourceName(cleaned)).toBe(cleaned);
      expect(["must not be empty", undefined]).toContain(findSourceNameProblem(cleaned));
    }),
    { numRuns: 2000 },
  );
});
