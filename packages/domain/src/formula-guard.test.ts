import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { escapeCsvFormulas, unescapeCsvFormulas } from "./formula-guard.js";

describe("escapeCsvFormulas", () => {
  test.each([
    ["=1+1", "'=1+1"],
    ['=HYPERLINK("http://evil.example")', '\'=HYPERLINK("http://evil.example")'],
    ["@SUM(1)", "'@SUM(1)"],
    ["\t=1", "'\t'=1"],
    ["\r=1", "'\r'=1"],
    ["+1+1", "'+1+1"],
    ["-1+1", "'-1+1"],
    ["+", "'+"],
    ["- front desk", "'- front desk"],
    ["'=1", "''=1"],
    ["＝1+1", "'＝1+1"],
    ["＋1+1", "'＋1+1"],
    ["－1+1", "'－1+1"],
    ["＠SUM(1)", "'＠SUM(1)"],
    [" =1+1", "' =1+1"],
    ["\u00a0\u3000=1+1", "'\u00a0\u3000=1+1"],
    ["\n=1+1", "'\n'=1+1"],
    ["=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"],
    [" +cmd|' /C calc'!A0", "' +cmd|' /C calc'!A0"],
    ["' =1", "'' =1"],
    ["a;=1+1", "a;'=1+1"],
    ["a; @SUM(1);-1+1", "a;' @SUM(1);'-1+1"],
    ["a;'=1", "a;''=1"],
    ["a\t=1+1", "a\t'=1+1"],
    ["a\n=1+1", "a\n'=1+1"],
    ["a\r\n@SUM(1)", "a\r\n'@SUM(1)"],
    ["a;b", "a;b"],
    ["a\tb\n+12223334444", "a\tb\n+12223334444"],
    ["\0=1", "'\0=1"],
    ["\u200b=1", "'\u200b=1"],
    ["a;\x1f@SUM(1)", "a;'\x1f@SUM(1)"],
    ["\0a=1", "\0a=1"],
    ["|calc", "|calc"],
    ["+12223334444", "+12223334444"],
    ["-5", "-5"],
    ["google", "google"],
    ["a=1", "a=1"],
    ["'quoted'", "'quoted'"],
    ["", ""],
  ])("turns %j into %j", (text, cell) => {
    expect(escapeCsvFormulas(text)).toBe(cell);
    expect(unescapeCsvFormulas(cell)).toBe(text);
  });

  test("can be undone for every text, and leaves nothing that begins like a formula", () => {
    const text = fc.string({ unit: fc.constantFrom(..."'=+-@\t\r\n\0\u200b ;＝＋－＠1a") });
    fc.assert(
      fc.property(text, (text) => {
        const cell = escapeCsvFormulas(text);
        expect(unescapeCsvFormulas(cell)).toBe(text);
        expect(cell).not.toMatch(/(?:^|[;\t\r\n])[\s\p{C}]*(?:[=@＝＠]|[+＋－-](?!\d+$))|^[\t\r\n]/u);
      }),
      { numRuns: 5000 },
    );
  });
});
