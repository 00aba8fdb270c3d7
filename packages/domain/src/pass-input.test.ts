import { expect, test } from "vitest";
import { computeMaxActiveTrackers, countNeededNumbers, type PassPool } from "./pass-input.js";
import { availableTrackers, flaggedTracker, passInput, retiring } from "./testing/pass-scenario.js";

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
])("computeMaxActiveTrackers of %j with a minimum of %s is %s", (pool, minimum, count) => {
  expect(
    computeMaxActiveTrackers({ isManual: false, isFrozen: false, size: 10, utilization: 0.5, ...pool }, { minimum }),
  ).toBe(count);
});

test.each([
  ["no trackers", { size: 3 }, 3],
  ["some trackers", { size: 3, trackers: availableTrackers(2) }, 1],
  ["more trackers than its size", { size: 1, trackers: availableTrackers(2) }, 0],
  ["a tracker that the pass deletes", { size: 3, trackers: availableTrackers(2).map((each) => retiring(each)) }, 3],
  ["a retiring tracker that a source still has", { size: 3, trackers: [retiring(flaggedTracker("+1", "a", 0))] }, 2],
  ["a disabled account", { size: 3, isFrozen: true }, 0],
])("a pool with %s needs numbers: %o", (_, scenario, count) => {
  const { pool, trackers } = passInput(scenario);
  expect(countNeededNumbers(pool, trackers)).toBe(count);
});
