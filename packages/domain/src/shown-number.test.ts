import { expect, test } from "vitest";
import { chooseShownNumbers } from "./shown-number.js";

/** Parses a pool such as `auto +1 > +5`: the kind, the original number and, if there is one, the number for the visitor. */
function poolOf(text: string) {
  const [kind, originalNumber = "", number = originalNumber] = text.split(/[ >]+/);
  return { text, originalNumber, number, isManual: kind === "manual" };
}

test.each<[rule: string, pools: string[], chosen: string[]]>([
  ["nothing of no pools", [], []],
  ["both of two originals", ["auto +1 > +5", "auto +2"], ["auto +1 > +5", "auto +2"]],
  ["the pool that has a number", ["auto +1", "auto +1 > +5"], ["auto +1 > +5"]],
  ["the oldest of two automanaged pools", ["auto +1 > +5", "auto +1 > +6"], ["auto +1 > +5"]],
  ["the oldest of two manual pools", ["manual +1", "manual +1 > +5", "manual +1 > +6"], ["manual +1 > +5"]],
  ["an automanaged pool before an older manual one", ["manual +1 > +5", "auto +1 > +6"], ["auto +1 > +6"]],
  ["a manual pool before the original of an automanaged one", ["auto +1", "manual +1 > +5"], ["manual +1 > +5"]],
  ["the oldest pool if none has a number", ["manual +1", "auto +1"], ["manual +1"]],
  [
    "the pools in their order",
    ["manual +1 > +5", "manual +2 > +6", "auto +1 > +7"],
    ["manual +2 > +6", "auto +1 > +7"],
  ],
])("chooses %s", (_, pools, chosen) => {
  expect(chooseShownNumbers(pools.map(poolOf)).map(({ text }) => text)).toEqual(chosen);
});
