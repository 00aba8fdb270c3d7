import { setImmediate } from "node:timers/promises";

/** Longer slices would delay other requests. */
const SLICE_MS = 10;

/** Runs a calculation that yields between its steps, in slices of about `SLICE_MS`. Other requests proceed between the slices. */
export async function runInTimeSlices<T>(calculation: Generator<void, T>): Promise<T> {
  let sliceEnd = performance.now() + SLICE_MS;
  for (let step = calculation.next(); ; step = calculation.next()) {
    const isOver = performance.now() >= sliceEnd;
    if (isOver) {
      await setImmediate();
      sliceEnd = performance.now() + SLICE_MS;
    }
    if (step.done) return step.value;
  }
}
