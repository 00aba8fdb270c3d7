import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const [script = "", page = "", debugMode = ""] = await Promise.all(
  ["dni.js", "dni-page.js", "dni-debug.js"].map((name) =>
    readFile(new URL(`../dist/${name}`, import.meta.url), "utf8"),
  ),
);

test.each([
  ["dni.js", script, 4096],
  ["dni-page.js", page, 5120],
])("%s is within its size limit", (_, each, limit) => {
  expect(Buffer.byteLength(each)).toBeLessThanOrEqual(limit);
});

test.each([
  ["dni.js", script],
  ["dni-page.js", page],
  ["dni-debug.js", debugMode],
])("%s is ASCII, so that a page's encoding does not matter", (_, each) => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are not allowed, except a final line feed.
  expect(each).toMatch(/^[^\x00-\x1f\x7f-\uffff]+\n$/);
});

test("the script does nothing that a content security policy blocks", () => {
  expect(script + page).not.toMatch(/eval|Function\(|innerHTML|\.style|createElement/);
});

test("the script has no lookbehind, which browsers from four years ago reject", () => {
  expect(script + page).not.toMatch(/\(\?<[=!]/);
});
