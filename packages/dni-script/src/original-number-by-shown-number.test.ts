import { describe, expect, test } from "vitest";
import { createNumberSwapper, type NumberPair } from "./number-swapper.js";
import {
  createRestoringPairs,
  type OriginalNumberByShownNumber,
  recordOriginalNumbers,
} from "./original-number-by-shown-number.js";

const SALES = "+12223334444";
const SUPPORT = "+12223334445";
const ONE = "+15556667777";
const TWO = "+15558889999";
const THREE = "+49301234567";

type Shown = readonly (readonly [original: string, number: string])[];

const pairsOf = (shown: Shown): NumberPair[] => shown.map(([original_number, number]) => ({ original_number, number }));

/** Shows several lists of pairs in a tab, one after the other. Returns the text with the replacements of the last list. */
function showAll(text: string, ...answers: readonly Shown[]): string {
  const originals: OriginalNumberByShownNumber = {};
  let pairs: NumberPair[] = [];
  for (const shown of answers) pairs = recordOriginalNumbers(originals, pairsOf(shown));
  return createNumberSwapper([...createRestoringPairs(originals, pairs), ...pairs])(text, true);
}

describe("a number that a tab has shown", () => {
  test.each<[name: string, answers: Shown[], expected: string]>([
    ["stays while it is shown", [[[SALES, ONE]]], ONE],
    ["becomes its original once it is withdrawn", [[[SALES, ONE]], []], SALES],
    ["becomes the next number of its original", [[[SALES, ONE]], [[SALES, TWO]]], TWO],
    ["becomes the next number after a pause", [[[SALES, ONE]], [], [[SALES, TWO]]], TWO],
    ["becomes its original after several others", [[[SALES, ONE]], [[SALES, TWO]], [[SALES, THREE]], []], SALES],
    ["stays when it returns", [[[SALES, ONE]], [[SALES, TWO]], [[SALES, ONE]]], ONE],
    ["is not shown for another original", [[[SALES, ONE]], [[SUPPORT, ONE]]], SALES],
    [
      "is not shown for another original, although its own original gets another number",
      [
        [[SALES, ONE]],
        [
          [SUPPORT, ONE],
          [SALES, TWO],
        ],
      ],
      TWO,
    ],
    ["of another country becomes its original", [[[SALES, THREE]], []], SALES],
    ["does not become a number, even if it is an original later", [[[SALES, ONE]], [[ONE, TWO]]], SALES],
  ])("%s", (_, answers, expected) => {
    const first = answers[0]?.[0]?.[1] ?? "";
    expect(showAll(first, ...answers)).toBe(expected);
  });

  test("becomes its original again in any order of two originals", () => {
    const crossed = [
      [SALES, ONE],
      [SUPPORT, TWO],
    ] as const;
    expect(showAll(`${ONE} ${TWO}`, crossed, [])).toBe(`${SALES} ${SUPPORT}`);
    expect(
      showAll(`${ONE} ${TWO}`, crossed, [
        [SUPPORT, ONE],
        [SALES, TWO],
      ]),
    ).toBe(`${SALES} ${SUPPORT}`);
  });

  test("never changes the original of another number", () => {
    expect(showAll(SALES, [[SALES, ONE]], [[SUPPORT, SALES]], [])).toBe(SALES);
  });
});
