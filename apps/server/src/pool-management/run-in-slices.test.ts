import { expect, test } from "vitest";
import { runInSlices } from "./run-in-slices.js";

test("runs a calculation while other work proceeds", async () => {
  let isWaiting = true;
  setImmediate(() => {
    isWaiting = false;
  });
  function* calculate() {
    while (isWaiting) yield;
    return "done";
  }
  expect(await runInSlices(calculate())).toBe("done");
});
