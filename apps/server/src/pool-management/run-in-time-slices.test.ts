import { expect, test } from "vitest";
import { runInTimeSlices } from "./run-in-time-slices.js";

test("runs a calculation while other work proceeds", async () => {
  let isWaiting = true;
  setImmediate(() => {
    isWaiting = false;
  });
  function* calculate() {
    while (isWaiting) yield;
    return "done";
  }
  expect(await runInTimeSlices(calculate())).toBe("done");
});
