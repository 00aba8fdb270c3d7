import { expect, test } from "vitest";
import { parseEntityTags } from "./entity-tags.js";

test.each<[text: string, tags: "*" | readonly string[]]>([
  ["*", "*"],
  [" * ", "*"],
  ['"a"', ['"a"']],
  ['""', ['""']],
  ['W/"a"', ['W/"a"']],
  ['"a","b", W/"c" ,\t"d"', ['"a"', '"b"', 'W/"c"', '"d"']],
  ['"a,b", "c"', ['"a,b"', '"c"']],
  [', "a",, "b",', ['"a"', '"b"']],
  ['"a\u00e9"', ['"a\u00e9"']],
  ["", []],
  ["a", []],
  ['w/"a"', []],
  ['W/ "a"', []],
  ['"a" "b"', []],
  ['"a', []],
  ['"a", b', []],
  ['"a b"', []],
  ['*, "a"', []],
])("rule 23: %j lists %j", (text, tags) => {
  const read = parseEntityTags(text);
  expect(read === "*" ? read : read.map(({ isWeak, opaqueTag }) => (isWeak ? `W/${opaqueTag}` : opaqueTag))).toEqual(
    tags,
  );
});
