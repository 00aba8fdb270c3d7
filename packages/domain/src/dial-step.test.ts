import { expect, test } from "vitest";
import { compareSteps, type DialStep, readLegName, stepOf } from "./dial-step.js";

test.each(["original", "fallback", "2", "10", "99", "original.1", "2.9"])("%s names a leg", (name) => {
  expect(readLegName(name)).toBe(name);
});

test.each([undefined, "", "0", "1", "01", "100", "2.0", "2.10", "2.1.1", ".1", "2.", "Original", "constructor"])(
  "%o names none",
  (name) => {
    expect(readLegName(name)).toBeUndefined();
  },
);

test("the legs of a step name it", () => {
  expect([stepOf("original.1"), stepOf("fallback"), stepOf("12.3")]).toEqual(["original", "fallback", "12"]);
});

test("compareSteps orders steps by when they are dialed", () => {
  const steps: DialStep[] = ["10", "fallback", "2", "original"];
  expect(steps.sort(compareSteps)).toEqual(["original", "fallback", "2", "10"]);
});
