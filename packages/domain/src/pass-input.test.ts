import { expect, test } from "vitest";
import { maxActiveTrackers, type PassPool } from "./pass-input.js";

test.each<[pool: Partial<PassPool>, minimum: number, count: number]>([
  [{}, 1, 5],
  [{ size: 50, utilization: 0.58 }, 1, 29],
  [{ utilization: 0.09 }, 1, 1],
  [{ utilization: 0 }, 1, 1],
  [{ utilization: 0 }, 0, 0],
  [{ utilization: 1 }, 1, 10],
  [{ utilization: undefined }, 0, 0],
  [{ size: 1, utilization: 0 }, 3, 3],
  [{ isManual: true, utilization: undefined }, 1, 0],
])("maxActiveTrackers of %j with a minimum of %s is %s", (pool, minimum, count) => {
  expect(
    maxActiveTrackers({ isManual: false, isFrozen: false, size: 10, utilization: 0.5, ...pool }, { minimum }),
  ).toBe(count);
});
