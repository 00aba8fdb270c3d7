import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "./testing/any-text.js";
import { findDescriptionProblem, findLookupKeyProblem, findTokenProblem } from "./text.js";

const EMPTY = "must not be empty";
const DOTS = 'must not be "." or ".."';
const TOO_LONG = "must have at most 255 characters";
const REFUSED = "must not contain whitespace, control, format or unassigned characters";
const NUL = "must not contain a NUL character";
const ILL_FORMED = "must be well-formed Unicode";

/** A character outside the Basic Multilingual Plane: one code point, but two UTF-16 code units. */
const ASTRAL = "\u{1F4DE}";

describe("findTokenProblem", () => {
  test.each<[name: string, token: string, problem: string | undefined]>([
    ["one letter", "a", undefined],
    ["punctuation and symbols", "acct_1-2.3:4/5@6#7?8%9+=&~$^|<>\"'`\\", undefined],
    ["letters of other scripts", "счёт-アカウント-حساب", undefined],
    ["digits of other scripts", "٣४", undefined],
    ["a combining mark", "e\u0301", undefined],
    ["a symbol outside the BMP", ASTRAL, undefined],
    ["a number that could be an id", "42", undefined],
    ["255 letters", "a".repeat(255), undefined],
    ["255 code points of two code units each", ASTRAL.repeat(255), undefined],
    ["255 code points, one of them of two code units", `${"a".repeat(254)}${ASTRAL}`, undefined],
    ["three dots", "...", undefined],
    ["dots around letters", ".a.", undefined],
    ["the segment of the same folder", ".", DOTS],
    ["the segment of the parent folder", "..", DOTS],
    ["nothing", "", EMPTY],
    ["256 letters", "a".repeat(256), TOO_LONG],
    ["256 code points of two code units each", ASTRAL.repeat(256), TOO_LONG],
    ["256 code points, one of them of two code units", `${"a".repeat(255)}${ASTRAL}`, TOO_LONG],
    ["far too many", "a".repeat(100_000), TOO_LONG],
    ["a space (Zs)", "a b", REFUSED],
    ["a space in front", " a", REFUSED],
    ["a space behind", "a ", REFUSED],
    ["a no-break space (Zs)", "a\u00a0b", REFUSED],
    ["an ideographic space (Zs)", "a\u3000b", REFUSED],
    ["a line separator (Zl)", "a\u2028b", REFUSED],
    ["a paragraph separator (Zp)", "a\u2029b", REFUSED],
    ["NUL (Cc)", "a\0b", REFUSED],
    ["a tab (Cc)", "a\tb", REFUSED],
    ["a line feed (Cc)", "a\nb", REFUSED],
    ["a line feed behind", "a\n", REFUSED],
    ["DEL (Cc)", "a\x7fb", REFUSED],
    ["a C1 control (Cc)", "a\x85b", REFUSED],
    ["a soft hyphen (Cf)", "a\u00adb", REFUSED],
    ["a zero-width joiner (Cf)", "a\u200db", REFUSED],
    ["a right-to-left override (Cf)", "a\u202eb", REFUSED],
    ["a byte order mark (Cf)", "\ufeffa", REFUSED],
    ["a tag outside the BMP (Cf)", "a\u{e0061}b", REFUSED],
    ["a private-use character (Co)", "a\ue000b", REFUSED],
    ["a private-use character outside the BMP (Co)", "a\u{f0000}b", REFUSED],
    ["an unassigned code point (Cn)", "a\u0378b", REFUSED],
    ["a noncharacter (Cn)", "a\uffffb", REFUSED],
    ["a noncharacter outside the BMP (Cn)", "a\u{10ffff}b", REFUSED],
    ["a high surrogate alone (Cs)", "a\ud83d", REFUSED],
    ["a low surrogate alone (Cs)", "\udcdea", REFUSED],
    ["surrogates in the wrong order (Cs)", "\udcde\ud83d", REFUSED],
  ])("%s", (_, token, problem) => {
    expect(findTokenProblem(token)).toBe(problem);
  });

  // The implementation lists the forbidden Unicode categories. The test lists the allowed ones: letter, mark, number, punctuation, symbol.
  test("accepts exactly 1 to 255 code points that are neither separators nor other", () => {
    fc.assert(
      fc.property(anyText(300), (token) => {
        const codePoints = Array.from(token);
        const accepted =
          codePoints.length >= 1 &&
          codePoints.length <= 255 &&
          ![".", ".."].includes(token) &&
          codePoints.every((character) => /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(character));
        expect(findTokenProblem(token) === undefined).toBe(accepted);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("findDescriptionProblem", () => {
  const tooLong = "must have at most 1000 characters";

  test.each<[name: string, description: string, problem: string | undefined]>([
    ["nothing", "", undefined],
    ["a sentence", "Numbers for the spring campaign, Köln", undefined],
    ["whitespace of every kind", " \t\r\n\u00a0\u2028", undefined],
    ["control and format characters", "\x01\x7f\x85\u200d\u202e", undefined],
    ["private-use and unassigned characters", "\ue000\u0378\uffff", undefined],
    ["1000 letters", "a".repeat(1000), undefined],
    ["1000 code points of two code units each", ASTRAL.repeat(1000), undefined],
    ["1001 letters", "a".repeat(1001), tooLong],
    ["1001 code points of two code units each", ASTRAL.repeat(1001), tooLong],
    ["1001 code points, one of them of two code units", `${"a".repeat(1000)}${ASTRAL}`, tooLong],
    ["NUL", "a\0b", NUL],
    ["a high surrogate alone", "a\ud83d", ILL_FORMED],
    ["a low surrogate alone", "\udcdea", ILL_FORMED],
    ["1001 surrogates alone", "\ud83d".repeat(1001), tooLong],
  ])("%s", (_, description, problem) => {
    expect(findDescriptionProblem(description)).toBe(problem);
  });

  test("accepts exactly up to 1000 code points that survive UTF-8 and have no NUL", () => {
    fc.assert(
      fc.property(anyText(1100), (description) => {
        const accepted = Array.from(description).length <= 1000 && isStorable(description);
        expect(findDescriptionProblem(description) === undefined).toBe(accepted);
      }),
    );
  });
});

describe("findLookupKeyProblem", () => {
  test.each<[name: string, reference: string, problem: string | undefined]>([
    ["a token", "acct_1", undefined],
    ["an id", "42", undefined],
    ["what no token can be, but may be looked up", " a\tb\u200d", undefined],
    ["what is longer than any token", "a".repeat(10_000), undefined],
    ["nothing", "", EMPTY],
    ["NUL", "\0", NUL],
    ["a surrogate alone", "\ud83d", ILL_FORMED],
  ])("%s", (_, reference, problem) => {
    expect(findLookupKeyProblem(reference)).toBe(problem);
  });

  test("accepts every token", () => {
    fc.assert(
      fc.property(anyText(300), (text) => {
        fc.pre(findTokenProblem(text) === undefined);
        expect(findLookupKeyProblem(text)).toBeUndefined();
      }),
    );
  });

  test("accepts exactly non-empty text that survives UTF-8 and has no NUL", () => {
    fc.assert(
      fc.property(anyText(300), (reference) => {
        expect(findLookupKeyProblem(reference) === undefined).toBe(reference !== "" && isStorable(reference));
      }),
    );
  });
});

/** Reports whether PostgreSQL stores the text unchanged: it must be valid UTF-8 without NUL. */
function isStorable(text: string): boolean {
  return (
    new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text)) === text && !/\0/.test(text)
  );
}
