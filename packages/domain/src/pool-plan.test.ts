import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PassInput } from "./pass-input.js";
import type { PoolState } from "./pool-forecast.js";
import type { PlannedPoolUpdate, PlannedTrackerChange, PoolPlan } from "./pool-plan.js";
import { anyPassInput } from "./testing/pass-history.js";
import {
  activeTracker,
  availableTracker,
  availableTrackers,
  cpc,
  DAY_MS,
  daysAgo,
  flaggedTracker,
  NOW,
  passInput,
  retiring,
  type Scenario,
} from "./testing/pass-scenario.js";
import { forecastPoolUpdate } from "./testing/run-to-end.js";
import { simulatePasses } from "./testing/simulate-passes.js";

const FOUR = {
  size: 4,
  utilization: 1,
  trackers: ["a", "b", "c", "d"].map((name, i) => activeTracker(`+${i + 1}`, name)),
  visits: { a: 500, b: 400, c: 300, d: 200 },
} satisfies Scenario;

const AREA = "1";

/** By default, all tracker numbers belong to the pool's area code, and the rest period is 0. */
function poolState({ inventory, ...input }: PassInput, state: Partial<PoolState> = {}): PoolState {
  return {
    ...input,
    areaCode: AREA,
    trackerAreaCodes: new Map(input.trackers.map(({ trackingNumber }) => [trackingNumber, AREA])),
    supply: inventory.map((trackingNumber, i) => ({ trackingNumber, freeFrom: new Date(i) })),
    numberRestMs: 0,
    ...state,
  };
}

/** Plans until one day after the end of a grace period that starts now. */
function plan(scenario: Scenario, change: PlannedPoolUpdate = {}, state?: Partial<PoolState>): PoolPlan {
  return forecastPoolUpdate(poolState(passInput(scenario), state), change, daysAgo(-31));
}

/** Another area code with its numbers, in the order in which they became free. */
function otherArea(...numbers: readonly string[]): PlannedPoolUpdate {
  return {
    area: {
      areaCode: "2",
      supply: numbers.map((trackingNumber, i) => ({ trackingNumber, freeFrom: new Date(i) })),
    },
  };
}

describe("a plan", () => {
  test.each<[name: string, scenario: Scenario, change: PlannedPoolUpdate, changes: readonly string[]]>([
    ["no change of a pool that is at rest", FOUR, {}, []],
    ["the same size and utilization", FOUR, { size: 4, utilization: 1 }, []],
    [
      "a shrink: flags now and deletes when the grace period ends",
      FOUR,
      { size: 2 },
      [
        "0: flagged +3 c",
        "0: flagged +4 d",
        "30: deactivated +3 c",
        "30: deactivated +4 d",
        "30: deleted +4",
        "30: deleted +3",
      ],
    ],
    [
      "growth: adds trackers and serves more sources",
      { ...FOUR, visits: { ...FOUR.visits, e: 150, f: 140 }, inventory: ["+5"] },
      { size: 6 },
      ["0: added +5", "0: activated +5 e"],
    ],
    [
      "utilization 0: flags all but the minimum, and frees them when the grace period ends",
      FOUR,
      { utilization: 0 },
      [
        "0: flagged +2 b",
        "0: flagged +3 c",
        "0: flagged +4 d",
        "30: deactivated +2 b",
        "30: deactivated +3 c",
        "30: deactivated +4 d",
      ],
    ],
    [
      "another area code: applies to new trackers only",
      { ...FOUR, size: 5, inventory: [] },
      otherArea("+333", "+334"),
      ["0: added +333"],
    ],
    [
      "changes that happen without the update too",
      { ...FOUR, size: 5, trackers: [...FOUR.trackers, flaggedTracker("+5", "x", 20)] },
      { size: 4 },
      ["10: deactivated +5 x (anyway)", "10: deleted +5"],
    ],
    [
      "freed trackers serve again in the next pass",
      { ...FOUR, trackers: [...FOUR.trackers.slice(0, 3), flaggedTracker("+5", "x", 30)] },
      {},
      ["0: deactivated +5 x (anyway)", "0: activated +5 d (anyway)"],
    ],
    [
      "a manual pool reuses the numbers that it deleted",
      { isManual: true, size: 2, trackers: [activeTracker("+1"), flaggedTracker("+2", undefined, 29)] },
      { utilization: 0.5 },
      ["1: deleted +2 (anyway)", "1: added +2 (anyway)"],
    ],
    [
      "a manual pool does not reuse numbers of another area code",
      { isManual: true, size: 2, trackers: [activeTracker("+1"), flaggedTracker("+2", undefined, 29)] },
      otherArea("+3"),
      ["1: deleted +2 (anyway)", "1: added +3"],
    ],
    [
      "continues after a pass without changes",
      {
        isManual: true,
        size: 2,
        trackers: [flaggedTracker("+1", undefined, 30), flaggedTracker("+2", undefined, 10)],
      },
      otherArea(),
      ["0: deleted +1 (anyway)", "20: deleted +2 (anyway)"],
    ],
    [
      "a frozen pool",
      {
        ...FOUR,
        isFrozen: true,
        trackers: [...FOUR.trackers, flaggedTracker("+5", "x", 20)],
        inventory: ["+6"],
      },
      { size: 2 },
      [],
    ],
    [
      "a number that is being retired: replaced, and not returned",
      {
        size: 2,
        trackers: [retiring(activeTracker("+1", "a")), availableTracker("+2")],
        visits: { a: 500 },
        inventory: ["+3"],
      },
      {},
      ["0: flagged +1 a (anyway)", "0: activated +2 a (anyway)", "30: deleted +1 a (anyway)", "30: added +3 (anyway)"],
    ],
    [
      "a source that loses a tie together with its retired number",
      {
        size: 2,
        trackers: [retiring(flaggedTracker("+1", "zeta", 20)), activeTracker("+2", "a")],
        utilization: 1,
        visits: { a: 500, alpha: 200, zeta: 200 },
        inventory: ["+3"],
      },
      {},
      ["10: deleted +1 zeta (anyway)", "10: added +3 (anyway)", "10: activated +3 alpha (anyway)"],
    ],
  ])("%s", (_, scenario, change, changes) => {
    expect(plan(scenario, change).changes.map(changeText)).toEqual(changes);
  });

  test("a number of an older area code does not return to the pool", () => {
    const scenario = { isManual: true, size: 1, trackers: [flaggedTracker("+1", undefined, 29)] };
    const state = { trackerAreaCodes: new Map([["+1", "2"]]) };
    const { changes, missing } = plan(scenario, {}, state);
    expect(changes.map(changeText)).toEqual(["1: deleted +1 (anyway)"]);
    expect(missing).toBe(1);
    const back = plan(scenario, { area: { areaCode: "2", supply: [] } }, state);
    expect(back.changes.map(changeText)).toEqual(["1: deleted +1 (anyway)", "1: added +1"]);
  });

  test("returned numbers and resting inventory numbers become free after their rest", () => {
    const flagged = ["+1", "+2"].map((number, i) => flaggedTracker(number, undefined, 29 - i));
    const resting = [{ trackingNumber: "+3", freeFrom: daysAgo(-4) }];
    const state = { numberRestMs: 7 * DAY_MS, supply: resting };
    const { changes, missing } = plan({ isManual: true, size: 2, trackers: flagged }, {}, state);
    expect(changes.map(changeText)).toEqual([
      "1: deleted +1 (anyway)",
      "2: deleted +2 (anyway)",
      "4: added +3 (anyway)",
      "8: added +1 (anyway)",
    ]);
    expect(missing).toBe(0);
  });

  test("returns the unserved sources and missing numbers at the end", () => {
    const scenario = { ...FOUR, visits: { ...FOUR.visits, e: 150, f: 140 }, inventory: ["+5"] };
    expect(plan(scenario, { size: 8 })).toMatchObject({ unserved: [{ ...cpc("f"), visits: 140 }], missing: 3 });
    expect(plan(scenario, { size: 4 })).toMatchObject({ unserved: [], missing: 0 });
  });

  test("returns the reasons and times", () => {
    expect(plan({ size: 1, trackers: [activeTracker("+1", "a")] }, { size: 2 }).changes).toEqual([
      {
        kind: "flagged",
        trackingNumber: "+1",
        source: cpc("a"),
        reason: "a / cpc has 0 visits, needs 101",
        at: NOW,
        happensAnyway: true,
      },
      {
        kind: "deactivated",
        trackingNumber: "+1",
        source: cpc("a"),
        reason: "the call tracker was flagged 30 days ago",
        at: daysAgo(-30),
        happensAnyway: true,
      },
    ]);
  });

  test("includes changes at the end of the period", () => {
    const input = passInput({ ...FOUR, trackers: [availableTracker("+5"), flaggedTracker("+6", "x", 20)] });
    const kindsWithin = (horizonMs: number) =>
      forecastPoolUpdate(poolState(input), {}, new Date(NOW.getTime() + horizonMs)).changes.map(({ kind }) => kind);
    expect(kindsWithin(0)).toEqual(["activated"]);
    expect(kindsWithin(10 * DAY_MS - 1)).toEqual(["activated"]);
    expect(kindsWithin(10 * DAY_MS)).toEqual(["activated", "deactivated", "activated"]);
  });

  test("handles the largest pool with a different end for each grace period", () => {
    const flagged = Array.from({ length: 5000 }, (_, i) => flaggedTracker(`+1${i}`, `old ${i}`, 20 + i / 1000));
    const active = Array.from({ length: 5000 }, (_, i) => activeTracker(`+2${i}`, `low ${i}`));
    const visits = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, i) => (i < 5000 ? [`new ${i}`, 1000] : [`low ${i - 5000}`, 500])),
    );
    const { changes, unserved } = plan(
      { size: 10_000, utilization: 1, trackers: [...flagged, ...active], visits },
      { size: 5000 },
    );
    const count = (kind: string) => changes.filter((change) => change.kind === kind).length;
    // Each previously flagged tracker serves a new source, and each displaced tracker is deleted.
    expect([count("flagged"), count("activated"), count("deactivated"), count("deleted")]).toEqual([
      5000, 5000, 10_000, 5000,
    ]);
    expect(unserved).toEqual([]);
  });

  test("does nothing if no change is due", () => {
    expect(plan({ trackers: availableTrackers(10) })).toEqual({
      changes: [],
      unserved: [],
      missing: 0,
    });
  });

  const numRuns = Number(process.env.POOL_PLANS ?? 500);

  test("equals what simulated passes do", { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(anyPoolState, anyChange, (state, change) => {
        const until = new Date(state.now.getTime() + state.settings.gracePeriodMs + DAY_MS);
        const { changes, unserved, missing } = forecastPoolUpdate(state, change, until);
        const { size = state.pool.size, utilization = state.pool.utilization, area } = change;
        const lived = simulatePasses({ ...state, ...area, pool: { ...state.pool, size, utilization } }, until);
        expect(changes.map(({ happensAnyway: _, ...each }) => each)).toEqual(lived.changes);
        expect({ unserved, missing }).toEqual({ unserved: lived.unserved, missing: lived.missing });
      }),
      { numRuns },
    );
  });

  test("without an update contains only changes that happen anyway", () => {
    fc.assert(
      fc.property(anyPoolState, (state) => {
        expect(forecastPoolUpdate(state, {}, daysAgo(-31)).changes.every(({ happensAnyway }) => happensAnyway)).toBe(
          true,
        );
      }),
    );
  });
});

const numbers = (prefix: string) =>
  fc
    .uniqueArray(fc.record({ n: fc.nat(9), days: fc.constantFrom(-1, 0, 1, 10, 10, 15) }), {
      selector: ({ n }) => n,
      maxLength: 5,
    })
    .map((drawn) => drawn.map(({ n, days }) => ({ trackingNumber: `${prefix}-${n}`, days })));

/** Pools whose trackers have numbers of two area codes, and whose supply contains resting numbers. */
const anyPoolState: fc.Arbitrary<PoolState> = fc
  .record({
    input: anyPassInput(),
    areas: fc.array(fc.constantFrom("1", "1", "2"), { minLength: 8, maxLength: 8 }),
    supply: numbers("+3"),
    numberRestMs: fc.constantFrom(0, 0, 1, DAY_MS, 10 * DAY_MS, 40 * DAY_MS),
  })
  .map(({ input, areas, supply, numberRestMs }) => {
    const { inventory, ...rest } = input;
    const trackerAreaCodes = new Map(input.trackers.map((each, i) => [each.trackingNumber, areas[i % 8] ?? AREA]));
    const freeFrom = (days: number) => new Date(input.now.getTime() + days * DAY_MS);
    return {
      ...rest,
      areaCode: AREA,
      trackerAreaCodes,
      supply: [
        ...inventory.map((trackingNumber) => ({ trackingNumber, freeFrom: freeFrom(-2) })),
        ...supply.map(({ trackingNumber, days }) => ({ trackingNumber, freeFrom: freeFrom(days) })),
      ],
      numberRestMs,
    };
  });

const anyChange: fc.Arbitrary<PlannedPoolUpdate> = fc.record(
  {
    size: fc.integer({ min: 1, max: 8 }),
    utilization: fc.constantFrom(0, 0.29, 0.58, 1),
    area: numbers("+4").map((supply) => ({
      areaCode: "2",
      supply: supply.map(({ trackingNumber, days }) => ({ trackingNumber, freeFrom: daysAgo(-days) })),
    })),
  },
  { requiredKeys: [] },
);

function changeText({ kind, trackingNumber, source, at, happensAnyway }: PlannedTrackerChange): string {
  const what = source ? `${kind} ${trackingNumber} ${source.source}` : `${kind} ${trackingNumber}`;
  return `${(at.getTime() - NOW.getTime()) / DAY_MS}: ${what}${happensAnyway ? " (anyway)" : ""}`;
}
