import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { quoteValue } from "./quote-value.js";
import { anyText } from "./testing/any-text.js";

const ASTRAL = "\u{1F4DE}";

describe("quote", () => {
  test.each<[name: string, value: string, quoted: string]>([
    ["plain text", "acct_1", '"acct_1"'],
    ["nothing", "", '""'],
    ["quotes and backslashes", 'a"b\\c', '"a\\"b\\\\c"'],
    ["letters of other scripts", "счёт", '"счёт"'],
    ["C0 controls", "a\0\n\x1b[31m", '"a\\u0000\\n\\u001b[31m"'],
    ["DEL and C1 controls", "a\x7f\x9b31m", '"a\\u007f\\u009b31m"'],
    ["line and paragraph separators", "a\u2028b\u2029c", '"a\\u2028b\\u2029c"'],
    ["format characters, which could turn the message round", "a\u202eb\ufeff", '"a\\u202eb\\ufeff"'],
    ["a format character outside the BMP", "a\u{e0061}", '"a\\udb40\\udc61"'],
    ["a surrogate alone", "a\ud83d", '"a\\ud83d"'],
    ["80 letters", "a".repeat(80), `"${"a".repeat(80)}"`],
    ["81 letters", "a".repeat(81), `"${"a".repeat(80)}…"`],
    ["80 code points of two code units each", ASTRAL.repeat(80), `"${ASTRAL.repeat(80)}"`],
    ["81 code points of two code units each", ASTRAL.repeat(81), `"${ASTRAL.repeat(80)}…"`],
    ["80 code points in 81 code units", `${"a".repeat(79)}${ASTRAL}`, `"${"a".repeat(79)}${ASTRAL}"`],
    ["far too much", ASTRAL.repeat(100_000), `"${ASTRAL.repeat(80)}…"`],
  ])("%s", (_, value, quoted) => {
    expect(quoteValue(value)).toBe(quoted);
  });

  test("returns JSON of the first 80 code points without control characters or line breaks", () => {
    fc.assert(
      fc.property(anyText(200), (value) => {
        const quoted = quoteValue(value);
        const codePoints = Array.from(value);
        const shown = codePoints.length > 80 ? `${codePoints.slice(0, 80).join("")}…` : value;
        expect(JSON.parse(quoted)).toBe(shown);
        expect(quoted).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
      { numRuns: 1000 },
    );
  });
});
