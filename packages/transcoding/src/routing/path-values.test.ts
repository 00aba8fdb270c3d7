import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyCharacter } from "../testing/any-character.js";
import { arbitraryBoundTemplate } from "../testing/arbitrary-template.js";
import { buildPath } from "../testing/build-path.js";
import { parsePathTemplate } from "./parse-path-template.js";
import type { PathTemplate, TemplateVariable } from "./path-template.js";
import { createRouter } from "./router.js";

describe("rules 3 and 4: reads values from the raw segments", () => {
  test.each<[template: string, path: string, values: readonly string[]]>([
    ["/a/*", "a/b", []],
    ["/{a}/{b}", "x/y", ["x", "y"]],
    ["/{a}", "x%2Fy", ["x/y"]],
    ["/{a=x/*}", "x/y%2Fz%20", ["x/y%2Fz "]],
    ["/{a=**}", "x/y/z", ["x/y/z"]],
    ["/{a=**}/v/{b}", "x/y/v/z", ["x/y", "z"]],
    ["/{a=x/**}/v/{b=w/*}", "x/v/w/z", ["x", "w/z"]],
    ["/{a}/{b=**}/{c}", "x/z", ["x", "", "z"]],
    ["/x/**/{c}", "x/y/y/z", ["z"]],
  ])("%s from %s", (template, path, values) => {
    const router = createRouter([{ method: "GET", template: parsePathTemplate(template), value: "it" }]);
    expect(router.route("GET", `/${path}`)).toMatchObject({ kind: "found", values });
  });
});

test("rules 3 to 5: matches the path built from a template, and returns the values", () => {
  fc.assert(
    fc.property(arbitraryTemplateAndValues, ([template, values]) => {
      const path = buildPath(template, values);
      const router = createRouter([{ method: "GET", template, value: "it" }]);
      expect(router.route("GET", path)).toMatchObject({ kind: "found", values });
    }),
    { numRuns: 500 },
  );
});

const nonEmpty = fc.string({ unit: anyCharacter, minLength: 1 }).filter((text) => text !== "." && text !== "..");
const reserved = fc.string({ unit: fc.constantFrom(...":/?#[]@!$&'()*+,;=% é", "%2F"), minLength: 1 });
const arbitraryText = fc.oneof(nonEmpty, reserved);

const arbitraryTemplateAndValues = arbitraryBoundTemplate.chain((template) => {
  const values = template.variables.map((variable) => arbitraryValue(template, variable));
  return fc.tuple(fc.constant(template), fc.tuple(...values));
});

/** An arbitrary for values that match a variable: the variable's literals, and any text for its wildcards. */
function arbitraryValue({ segments }: PathTemplate, { start, end, multi }: TemplateVariable): fc.Arbitrary<string> {
  const parts = segments.slice(start, end).map((segment): fc.Arbitrary<readonly string[]> => {
    if (segment.kind === "multi") return fc.array(segmentText, { maxLength: 3 });
    if (segment.kind === "single") return (multi ? segmentText : arbitraryText).map((text) => [text]);
    // An escaped slash stays encoded in a value of several segments.
    return fc.constant([decodeURIComponent(multi ? segment.value.replaceAll("%2F", "%252F") : segment.value)]);
  });
  return fc.tuple(...parts).map((parts) => parts.flat().join("/"));
}

const segmentText = arbitraryText
  .map((text) => text.replaceAll("/", "_"))
  .filter((text) => text !== "." && text !== "..");
