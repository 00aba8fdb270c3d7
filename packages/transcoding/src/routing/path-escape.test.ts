import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyCharacter } from "../testing/any-character.js";
import { decodeSegment, decodeSegments, encodeSegment, findPathProblem, normalizePathEscapes } from "./path-escape.js";

const NOT_UTF8 = /must be UTF-8/;
const NOT_ESCAPE = /two hexadecimal digits/;
const NOT_ASCII = /visible ASCII/;

describe("rule 7: finds malformed escapes and invalid UTF-8", () => {
  test.each<[path: string, problem: RegExp | undefined]>([
    ["", undefined],
    ["/a/b", undefined],
    ["/a%20b", undefined],
    ["/%c3%A9", undefined],
    ["/%F0%9F%98%80", undefined],
    ["/%00", undefined],
    ['/[a]|{b}"<c>\\^`', undefined],
    ["/%", NOT_ESCAPE],
    ["/%4", NOT_ESCAPE],
    ["/%4/1", NOT_ESCAPE],
    ["/%zz", NOT_ESCAPE],
    ["/%%20", NOT_ESCAPE],
    ["/%FF", NOT_UTF8],
    ["/%C3", NOT_UTF8],
    ["/%C3/%A9", NOT_UTF8],
    ["/%A9", NOT_UTF8],
    // Overlong "/".
    ["/%C0%AF", NOT_UTF8],
    // A surrogate.
    ["/%ED%A0%80", NOT_UTF8],
    // Beyond U+10FFFF.
    ["/%F4%90%80%80", NOT_UTF8],
    ["/é", NOT_ASCII],
    ["/a b", NOT_ASCII],
    ["/a\u0000b", NOT_ASCII],
    ["/a\u007f", NOT_ASCII],
  ])("%j", (path, problem) => {
    if (problem === undefined) expect(findPathProblem(path)).toBeUndefined();
    else expect(findPathProblem(path)).toMatch(problem);
  });
});

describe("rule 3: decodes a single segment entirely, and several segments except %2F", () => {
  test.each([
    { text: "plain", single: "plain", several: "plain", reserved: "plain" },
    { text: "a%2Fb%2fc", single: "a/b/c", several: "a%2Fb%2fc", reserved: "a%2Fb%2fc" },
    { text: "a%3Ab%20c", single: "a:b c", several: "a:b c", reserved: "a%3Ab c" },
    { text: "%21%24%26%27%28%29", single: "!$&'()", several: "!$&'()", reserved: "%21%24%26%27%28%29" },
    { text: "%2a%2B%2c%3b%3D", single: "*+,;=", several: "*+,;=", reserved: "%2a%2B%2c%3b%3D" },
    { text: "%3F%23%5b%5D%40", single: "?#[]@", several: "?#[]@", reserved: "%3F%23%5b%5D%40" },
    { text: "%25%22%2D%2e", single: '%"-.', several: '%"-.', reserved: '%"-.' },
    { text: "a+b", single: "a+b", several: "a+b", reserved: "a+b" },
    { text: "%C3%A9", single: "é", several: "é", reserved: "é" },
    { text: "%EF%BB%BF%00", single: "\ufeff\u0000", several: "\ufeff\u0000", reserved: "\ufeff\u0000" },
  ])("$text", ({ text, single, several, reserved }) => {
    expect(decodeSegment(text)).toBe(single);
    expect(decodeSegments(text)).toBe(several);
    expect(decodeSegments(text, { keepReserved: true })).toBe(reserved);
  });
});

describe("rule 2: decodes nothing twice", () => {
  test.each([
    { text: "%252F", decoded: "%2F" },
    { text: "%2525", decoded: "%25" },
    { text: "%253A", decoded: "%3A" },
  ])("$text", ({ text, decoded }) => {
    expect(decodeSegment(text)).toBe(decoded);
    expect(decodeSegments(text)).toBe(decoded);
    expect(decodeSegments(text, { keepReserved: true })).toBe(decoded);
  });
});

describe("encodes values as google/api/http.proto specifies", () => {
  test.each([
    ["AZaz09-._~", "AZaz09-._~"],
    [":/?#[]@", "%3A%2F%3F%23%5B%5D%40"],
    ["!$&'()*+,;=", "%21%24%26%27%28%29%2A%2B%2C%3B%3D"],
    ["%2F é", "%252F%20%C3%A9"],
    ["😀", "%F0%9F%98%80"],
  ])("%j", (value, encoded) => {
    expect(encodeSegment(value)).toBe(encoded);
  });

  test("rejects an unpaired surrogate", () => {
    expect(() => encodeSegment("\ud800")).toThrow(URIError);
  });

  test("restores any value by decoding", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (value) => {
        const encoded = encodeSegment(value);
        expect(encoded).toMatch(/^(?:[A-Za-z0-9\-._~]|%[0-9A-F]{2})*$/);
        expect(findPathProblem(encoded)).toBeUndefined();
        expect(decodeSegment(encoded)).toBe(value);
        expect(encoded.includes("%2F") || decodeSegments(encoded) === value).toBe(true);
      }),
    );
  });
});

describe("rule 4: the normal form decodes only unreserved characters", () => {
  test.each([
    ["books", "books"],
    ["%62ooks", "books"],
    ["%2d%2E%5f%7E%41%7a%30", "-._~Az0"],
    ["a%2fb%3a", "a%2Fb%3A"],
    ["%c3%a9", "%C3%A9"],
    ["%2562", "%2562"],
  ])("%j", (text, normal) => {
    expect(normalizePathEscapes(text)).toBe(normal);
    expect(normalizePathEscapes(normal)).toBe(normal);
  });
});
