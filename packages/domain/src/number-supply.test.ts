import { describe, expect, test } from "vitest";
import { createNumberSupply } from "./number-supply.js";

const at = (ms: number) => new Date(ms);

const number = (digit: number, freeFrom: number) => ({ trackingNumber: `+1${digit}`, freeFrom: at(freeFrom) });

/** Not in assignment order. */
const supply = () => createNumberSupply([number(4, 3000), number(3, 1000), number(1, 2000), number(2, 1000)]);

describe("the numbers of an area code", () => {
  test.each([
    [999, 9, []],
    [1000, 9, ["+12", "+13"]],
    [1999, 9, ["+12", "+13"]],
    [2000, 9, ["+12", "+13", "+11"]],
    [3000, 9, ["+12", "+13", "+11", "+14"]],
    [3000, 3, ["+12", "+13", "+11"]],
    [3000, 0, []],
  ])("that are free at %i ms, at most %i, start with the one free for longest", (moment, count, free) => {
    expect(supply().free(at(moment), count)).toEqual(free);
  });

  test.each([
    [0, 1000],
    [999, 1000],
    [1000, 2000],
    [2999, 3000],
    [3000, undefined],
  ])("become free next after %i ms at %s ms", (moment, next) => {
    expect(supply().nextFreeAfter(at(moment))?.getTime()).toBe(next);
  });

  test("that do not rest come first, in the given order", () => {
    const numbers = createNumberSupply([
      ...[number(2, 1000), { trackingNumber: "+19" }, number(1, 500)],
      ...[{ trackingNumber: "+18", freeFrom: undefined }, { trackingNumber: "+17" }],
    ]);
    expect(numbers.free(at(0), 9)).toEqual(["+19", "+18", "+17"]);
    expect(numbers.free(at(1000), 9)).toEqual(["+19", "+18", "+17", "+11", "+12"]);
    expect(numbers.nextFreeAfter(at(0))).toEqual(at(500));
  });

  test("are taken in order, and returned behind those that are free earlier", () => {
    const numbers = supply();
    numbers.take();
    numbers.take();
    expect(numbers.free(at(3000), 9)).toEqual(["+11", "+14"]);
    numbers.add(number(9, 2500));
    numbers.add(number(8, 9000));
    expect(numbers.free(at(3000), 9)).toEqual(["+11", "+19", "+14"]);
    expect(numbers.nextFreeAfter(at(3000))).toEqual(at(9000));
  });
});
