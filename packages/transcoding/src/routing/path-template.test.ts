import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitraryTemplate } from "../testing/arbitrary-template.js";
import { parsePathTemplate } from "./parse-path-template.js";
import { formatPathShape, formatPathTemplate, PathTemplateError } from "./path-template.js";

describe("rule 1: parses valid templates", () => {
  test.each<[text: string, shape: string, variables: readonly string[]]>([
    ["/", "/", []],
    ["/v1/books", "/v1/books", []],
    ["/v1/books:search", "/v1/books:search", []],
    ["/*", "/*", []],
    ["/**", "/**", []],
    ["/{a}", "/*", ["a 0-1"]],
    ["/{_a1}", "/*", ["_a1 0-1"]],
    ["/{a=*}", "/*", ["a 0-1"]],
    ["/{a=**}", "/**", ["a 0-1 multi"]],
    ["/{a=b}", "/b", ["a 0-1"]],
    ["/v1/{book.author.id}", "/v1/*", ["book.author.id 1-2"]],
    ["/v1/{name=shelves/*/books/*}:move", "/v1/shelves/*/books/*:move", ["name 1-5 multi"]],
    ["/v1/{path=files/**}/versions/{version}", "/v1/files/**/versions/*", ["path 1-3 multi", "version 4-5"]],
    ["/v1/{path=**/versions/*}:get", "/v1/**/versions/*:get", ["path 1-4 multi"]],
    ["/**/a/*", "/**/a/*", []],
    ["/{a}/{b}/{a.b}", "/*/*/*", ["a 0-1", "b 1-2", "a.b 2-3"]],
    ["/-._~!$&'()+,;=@", "/-._~!$&'()+,;=@", []],
    ["/{a=b=c/*}", "/b=c/*", ["a 0-2 multi"]],
    ["/%62ooks/%2a%c3%a9:%6dove", "/books/%2A%C3%A9:move", []],
    ["/.well-known/..", "/.well-known/..", []],
  ])("%s", (text, shape, variables) => {
    const template = parsePathTemplate(text);
    expect(formatPathShape(template)).toBe(shape);
    const printed = template.variables.map(({ fieldPath, start, end, multi }) => {
      return `${fieldPath} ${start}-${end}${multi ? " multi" : ""}`;
    });
    expect(printed).toEqual(variables);
  });

  test("returns segments, verb and variables", () => {
    expect(parsePathTemplate("/v1/{path=**}/*:get")).toEqual({
      segments: [{ kind: "literal", value: "v1" }, { kind: "multi" }, { kind: "single" }],
      verb: "get",
      variables: [{ fieldPath: "path", start: 1, end: 2, multi: true }],
    });
  });
});

describe("rule 1: rejects invalid templates with the column of the error", () => {
  test.each<[text: string, column: number, advice: string]>([
    ["", 1, 'begin the template with "/"'],
    ["v1", 1, 'begin the template with "/"'],
    ["//", 2, "put a segment here"],
    ["/a/", 4, "put a segment here"],
    ["/a//b", 4, "put a segment here"],
    ["/{a=}", 5, "put a segment here"],
    ["/{a=/b}", 5, "put a segment here"],
    ["/{a=b/}", 7, "put a segment here"],
    ["/:verb", 2, "put a segment here"],
    ["/a:", 4, "put a verb here"],
    ["/a:b:c", 5, "nothing can follow the verb"],
    ["/a:b/c", 5, "nothing can follow the verb"],
    ["/a:{b}", 4, "percent-encode it"],
    ["/***", 2, 'write "*"'],
    ["/**/**", 5, 'remove all but one "**"'],
    ["/{a=**}/{b=**}", 12, 'remove all but one "**"'],
    ["/a*", 3, 'begin a segment with "*"'],
    ["/*a", 3, 'put "/" between'],
    ["/{a}b", 5, 'put "/" between'],
    ["/a{b}", 3, 'begin a segment with "{"'],
    ["/{a={b}}", 5, "move this variable out"],
    ["/{a=b/{c}}", 7, "move this variable out"],
    ["/{a}/{a}", 7, 'bind "a" only once'],
    ["/{a.b}/c/{a.b=d}", 11, 'bind "a.b" only once'],
    ["/{", 3, "name a field"],
    ["/{}", 3, "name a field"],
    ["/{1a}", 3, "name a field"],
    ["/{a.}", 5, "name a field"],
    ["/{a..b}", 5, "name a field"],
    ["/{a-b}", 4, 'close the variable with "}"'],
    ["/{a", 4, 'close the variable with "}"'],
    ["/{a=b", 6, 'close the variable with "}"'],
    ["/{a=b:c}", 6, 'close the variable with "}"'],
    ["/a}", 3, 'percent-encode "}"'],
    ["/a?b=c", 3, 'percent-encode "?"'],
    ["/a#b", 3, 'percent-encode "#"'],
    ["/a b", 3, 'percent-encode " "'],
    ["/é", 2, 'percent-encode "é"'],
    ["/a/😀", 4, 'percent-encode "😀"'],
    ["/a%", 3, "two hexadecimal digits"],
    ["/a%2", 3, "two hexadecimal digits"],
    ["/a%zz", 3, "two hexadecimal digits"],
    ["/a/%C3", 4, "UTF-8"],
    ["/a:%FF", 4, "UTF-8"],
  ])("%s", (text, column, advice) => {
    expect(() => parsePathTemplate(text)).toThrow(advice);
    expect(() => parsePathTemplate(text)).toThrow(`"${text}", column ${column}`);
    expect(() => parsePathTemplate(text)).toThrow(
      expect.objectContaining({ name: "PathTemplateError", column, template: text }),
    );
  });

  test("parses arbitrary text, or throws a PathTemplateError with a column inside the text", () => {
    const parts = fc.constantFrom("/", "*", "{", "}", "=", ":", ".", "a", "b", "%41", "%", "é");
    const text = fc.string({ unit: parts }).map((rest) => `/${rest}`);
    fc.assert(
      fc.property(text, (text) => {
        try {
          const printed = formatPathTemplate(parsePathTemplate(text));
          expect(formatPathTemplate(parsePathTemplate(printed))).toBe(printed);
        } catch (error) {
          expect(error).toBeInstanceOf(PathTemplateError);
          const { column } = error as PathTemplateError;
          expect(column).toBeGreaterThan(0);
          expect(column).toBeLessThanOrEqual(text.length + 1);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe("formatting", () => {
  test("is reversed by parsing", () => {
    fc.assert(
      fc.property(arbitraryTemplate, (template) => {
        expect(parsePathTemplate(formatPathTemplate(template))).toEqual(template);
      }),
    );
  });

  test.each([
    ["/{a=*}", "/{a}"],
    ["/{a=b}/{c=d/*}:e", "/{a=b}/{c=d/*}:e"],
    ["/x/{a=**}/y", "/x/{a=**}/y"],
  ])("formats %s as %s", (text, printed) => {
    expect(formatPathTemplate(parsePathTemplate(text))).toBe(printed);
  });
});
