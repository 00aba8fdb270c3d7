import { expect, test } from "vitest";
import { compareDialSteps, type DialStep, getLegDialStep, parseLegName } from "./dial-step.js";

test.each(["original", "fallback", "2", "10", "99", "original.1", "2.9"])("%s names a leg", (name) => {
  expect(parseLegName(name)).toBe(name);
});

test.each([undefined, "", "0", "1", "01", "100", "2.0", "2.10", "2.1.1", ".1", "2.", "Original", "constructor"])(
  "%o names none",
  (name) => {
    expect(parseLegName(name)).toBeUndefined();
  },
);

test("the legs of a step name it", () => {
  expect([getLegDialStep("original.1"), getLegDialStep("fallback"), getLegDialStep("12.3")]).toEqual([
    "original",
    "fallback",
    "12",
  ]);
});

test("compareDialSteps orders steps by when they are dialed", () => {
  const steps: DialStep[] = ["10", "fallback", "2", "original"];
  expect(steps.sort(compareDialSteps)).toEqual(["original", "fallback", "2", "10"]);
});
