import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const script = await readFile(new URL("../dist/dni.js", import.meta.url), "utf8");

test("the script has at most 5120 bytes", () => {
  expect(Buffer.byteLength(script)).toBeLessThanOrEqual(5120);
});

test("the script is ASCII, so that a page's encoding does not matter", () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are not allowed, except a final line feed.
  expect(script).toMatch(/^[^\x00-\x1f\x7f-\uffff]+\n$/);
});

test("the script does nothing that a content security policy blocks", () => {
  expect(script).not.toMatch(/eval|Function\(|innerHTML|\.style|createElement/);
});

test("the script has no syntax that browsers from four years ago reject", () => {
  expect(script).not.toMatch(/\(\?<[=!]/);
});
