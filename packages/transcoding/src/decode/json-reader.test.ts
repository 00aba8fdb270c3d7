import type { JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyCharacter } from "../testing/any-character.js";
import { setOwnProperty } from "../values/untyped-message.js";
import { JsonReader } from "./json-reader.js";

function readAll(text: string): JsonValue {
  const reader = new JsonReader(text);
  const value = readValue(reader);
  reader.readEnd();
  return value;
}

function readValue(reader: JsonReader): JsonValue {
  switch (reader.kind()) {
    case "object": {
      const object = {};
      reader.open();
      for (let key = reader.nextKey(true); key !== undefined; key = reader.nextKey(false)) {
        setOwnProperty(object, key, readValue(reader));
      }
      return object;
    }
    case "array": {
      const array: JsonValue[] = [];
      reader.open();
      for (let more = reader.nextItem(true); more; more = reader.nextItem(false)) {
        array.push(readValue(reader));
      }
      return array;
    }
    case "string":
      return reader.readString();
    case "number":
      return Number(reader.readNumber());
    case "boolean":
      return reader.readBoolean();
    default:
      reader.readNull();
      return null;
  }
}

describe("rule 11: JSON", () => {
  test("is read as by JSON.parse", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: anyCharacter }), fc.constantFrom("", " ", "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(readAll(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test("rejects the texts that JSON.parse rejects", () => {
    const parses = (parse: (text: string) => unknown, text: string) => {
      try {
        parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const tokens = fc.constantFrom("{", "}", "[", "]", ":", ",", '"a"', '"\\n"', "1", "-0.5e+3", "true", "null", " ");
    fc.assert(
      fc.property(fc.array(tokens, { maxLength: 8 }), (parts) => {
        const text = parts.join("");
        expect(parses(readAll, text)).toBe(parses(JSON.parse, text));
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ["0", 0],
    ["-0", -0],
    ["1.50", 1.5],
    ["1e2", 100],
    ["1E-2", 0.01],
    ['"\\u0041\\/\\b\\f\\n\\r\\t\\"\\\\"', 'A/\b\f\n\r\t"\\'],
    ['"\\ud83d\\ude00"', "😀"],
    ['"\u2028"', "\u2028"],
    [" \t\r\n[ ] ", []],
  ])("accepts %j", (text, value) => {
    expect(readAll(text)).toEqual(value);
  });

  test.each([
    ["", "it ends too early, expected a value at line 1, column 1"],
    ["  ", "it ends too early, expected a value at line 1, column 3"],
    ["{", "it ends too early, expected a key in double quotes at line 1, column 2"],
    ['{"a"', 'it ends too early, expected ":" at line 1, column 5'],
    ['{"a" 1}', 'expected ":" at line 1, column 6'],
    ['{"a":}', "expected a value at line 1, column 6"],
    ['{"a":1 "b":2}', 'expected "," or "}" at line 1, column 8'],
    ['{"a":1,}', "expected a key in double quotes at line 1, column 8"],
    ["{a:1}", "expected a key in double quotes at line 1, column 2"],
    ["{'a':1}", "expected a key in double quotes at line 1, column 2"],
    ["[1,]", "expected a value at line 1, column 4"],
    ["[1", 'it ends too early, expected "," or "]" at line 1, column 3'],
    ["{}x", "expected the end of the body at line 1, column 3"],
    ["[1]\n\n [2]", "expected the end of the body at line 3, column 2"],
    ["01", "expected the end of the body at line 1, column 2"],
    ["+1", "expected a value at line 1, column 1"],
    [".5", "expected a value at line 1, column 1"],
    ["1.", "it ends too early, expected a digit at line 1, column 3"],
    ["1.x", "expected a digit at line 1, column 3"],
    ["1e+", "it ends too early, expected a digit at line 1, column 4"],
    ["-", "expected a value at line 1, column 1"],
    ["NaN", "expected a value at line 1, column 1"],
    ["Infinity", "expected a value at line 1, column 1"],
    ["nul", "expected a value at line 1, column 1"],
    ["True", "expected a value at line 1, column 1"],
    ["/* */ 1", "expected a value at line 1, column 1"],
    ['"abc', "a string has no closing quote at line 1, column 1"],
    ['"a\\"', "a string has no closing quote at line 1, column 1"],
    ['"a\nb"', "a control character in a string must be escaped at line 1, column 3"],
    ['"a\\x"', "a string contains an unknown escape at line 1, column 3"],
    ['"\\u12g4"', "a string contains an unknown escape at line 1, column 2"],
    ['"\\ud800"', "a string contains an unpaired surrogate at line 1, column 2"],
    ['"\\udc00\\ud800"', "a string contains an unpaired surrogate at line 1, column 2"],
    ['["😀" 1]', 'expected "," or "]" at line 1, column 6'],
    ["\u00a01", "expected a value at line 1, column 1"],
  ])("rejects %j", (text, message) => {
    expect(() => readAll(text)).toThrow(
      expect.objectContaining({ reason: "BODY_MALFORMED", message: `the body is not valid JSON: ${message}` }),
    );
  });

  test("accepts at most 100 levels of nesting", () => {
    const nest = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    expect(() => readAll(nest(100))).not.toThrow();
    expect(() => readAll(nest(101))).toThrow("the body is nested more than 100 levels deep at line 1, column 101");
    expect(() => new JsonReader(nest(1_000_000)).skipValue()).toThrow("100 levels");
  });
});
