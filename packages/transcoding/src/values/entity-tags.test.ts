import { describe, expect, test } from "vitest";
import { parseEntityTags } from "./entity-tags.js";

test.each<[text: string, tags: "*" | readonly string[] | undefined]>([
  ["*", "*"],
  [" * ", "*"],
  ['"a"', ['"a"']],
  ['""', ['""']],
  ['W/"a"', ['W/"a"']],
  ['"a","b", W/"c" ,\t"d"', ['"a"', '"b"', 'W/"c"', '"d"']],
  ['"a,b", "c"', ['"a,b"', '"c"']],
  [', "a",, "b",', ['"a"', '"b"']],
  ['"a\u00e9"', ['"a\u00e9"']],
  ["", undefined],
  ["a", undefined],
  ['w/"a"', undefined],
  ['W/ "a"', undefined],
  ['"a" "b"', undefined],
  ['"a', undefined],
  ['"a", b', undefined],
  ['"a b"', undefined],
  ['*, "a"', undefined],
  ["*, *", undefined],
  [" ,\t, ", undefined],
  ["\u00a0*", undefined],
])("rule 23: %j lists %j", (text, tags) => {
  const read = parseEntityTags(text);
  const texts =
    typeof read === "object" ? read.map(({ isWeak, opaqueTag }) => (isWeak ? `W/${opaqueTag}` : opaqueTag)) : read;
  expect(texts).toEqual(tags);
});

describe("rule 23: takes time in proportion to its length for", () => {
  const SPACES = " ".repeat(2_000_000);

  // A regular expression that backtracks would take hours to parse one of these texts.
  test.each<[string, string]>([
    ["spaces before a character that is no tag", `"a",${SPACES}x`],
    ["spaces between two tags without a comma", `"a"${SPACES}"b"`],
    ["spaces after a tag and before text", `"a"${SPACES}x`],
    ["spaces before the first tag", `${SPACES}x`],
    ["spaces after an asterisk", `*${SPACES}x`],
    ["tabs and commas in turn", `"a"${"\t,".repeat(1_000_000)}x`],
    ["a tag without its end", `"${"a".repeat(2_000_000)}`],
    ["many tags and a malformed one", `${'"a",'.repeat(500_000)}W/`],
  ])("%s", (_, text) => {
    expect(parseEntityTags(text)).toBeUndefined();
  });
});
