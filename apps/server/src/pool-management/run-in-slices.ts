import { setImmediate } from "node:timers/promises";

/** How long a slice may take. Longer ones would delay other requests. */
const SLICE_MS = 10;

/** Runs a calculation that yields between its parts. Other requests proceed between slices of a few parts. */
export async function runInSlices<T>(calculation: Generator<void, T>): Promise<T> {
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
