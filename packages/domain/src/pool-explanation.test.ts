import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runPass } from "./call-tracker-pass.js";
import { activeAtMost, type PassInput } from "./pass-input.js";
import { explainPool } from "./pool-explanation.js";
import { sourceKey } from "./source-medium.js";
import { afterPass, anyPassInput } from "./testing/pass-history.js";
import {
  activeTracker,
  availableTrackers,
  cpc,
  daysAgo,
  flaggedTracker,
  passInput,
  type Scenario,
} from "./testing/pass-scenario.js";

const FULL = {
  size: 2,
  utilization: 1,
  trackers: [activeTracker("+1", "a"), flaggedTracker("+2", "x", daysAgo(10))],
  visits: { a: 500, b: 400, c: 300, d: 100 },
} satisfies Scenario;

describe("the reasons of an explanation", () => {
  test.each<[name: string, scenario: Scenario, reasons: { readonly [source: string]: string }]>([
    [
      "a full pool",
      FULL,
      {
        a: "holds +1 with rank 1 of 2",
        b: "no number left: the pool's 2 are taken",
        c: "rank 3 of 2",
        d: "100 visits, needs 101",
        x: "0 visits, needs 101: keeps +2 until 2026-03-21T12:00:00.000Z",
      },
    ],
    [
      "a short inventory",
      { size: 5, utilization: 1, inventory: ["+1"], visits: { a: 500, b: 400 } },
      { a: "holds +1 with rank 1 of 5", b: "no number left: the inventory lacks 4 of the pool's 5" },
    ],
    [
      "a number that was freed just now",
      { ...FULL, trackers: [activeTracker("+1", "a"), flaggedTracker("+2", "x", daysAgo(30))] },
      {
        a: "holds +1 with rank 1 of 2",
        b: "gets +2 in the next pass",
        c: "rank 3 of 2",
        d: "100 visits, needs 101",
        x: "0 visits, needs 101",
      },
    ],
    [
      "numbers that were freed just now, in the order in which they serve, and sources without visits in theirs",
      {
        size: 2,
        utilization: 1,
        trackers: [flaggedTracker("+2", "y", daysAgo(30)), flaggedTracker("+1", "x", daysAgo(30))],
        visits: { a: 500, b: 400 },
      },
      {
        a: "gets +1 in the next pass",
        b: "gets +2 in the next pass",
        x: "0 visits, needs 101",
        y: "0 visits, needs 101",
      },
    ],
    [
      "who is flagged for its rank",
      { size: 1, utilization: 1, trackers: [flaggedTracker("+1", "b", daysAgo(1))], visits: { a: 200, b: 150 } },
      {
        a: "no number left: the pool's 1 are taken",
        b: "rank 2 of 1: keeps +1 until 2026-03-30T12:00:00.000Z",
      },
    ],
    ["a manual pool", { isManual: true, visits: { a: 500 } }, {}],
  ])("%s", (_, scenario, reasons) => {
    const rows = explainPool(passInput(scenario)).sources;
    expect(rows.map(({ source, reason }) => [source, reason])).toEqual(Object.entries(reasons));
  });
});

test("an explanation says all of a source", () => {
  expect(explainPool(passInput(FULL)).sources.map(({ reason: _, ...row }) => row)).toEqual([
    { ...cpc("a"), visits: 500, rank: 1, trackingNumber: "+1", trackerStatus: "active", isServed: true },
    { ...cpc("b"), visits: 400, rank: 2, trackingNumber: undefined, trackerStatus: undefined, isServed: false },
    { ...cpc("c"), visits: 300, rank: 3, trackingNumber: undefined, trackerStatus: undefined, isServed: false },
    { ...cpc("d"), visits: 100, rank: 4, trackingNumber: undefined, trackerStatus: undefined, isServed: false },
    { ...cpc("x"), visits: 0, rank: undefined, trackingNumber: "+2", trackerStatus: "flagged", isServed: false },
  ]);
});

describe("what an explanation says of the pool", () => {
  test.each<[name: string, scenario: Scenario, facts: object]>([
    [
      "a full pool: 3 sources above the threshold, and a flagged tracker",
      FULL,
      { servedAtMost: 2, cutOff: 400, missing: 0, nextFreeAt: daysAgo(-20), advisedSize: 4 },
    ],
    ["who is unserved", FULL, { unserved: [{ ...cpc("b"), visits: 400 }] }],
    ["a top that is not full", { visits: { a: 500 } }, { servedAtMost: 5, cutOff: 101, missing: 10, advisedSize: 10 }],
    ["a share of it", { ...FULL, utilization: 0.29 }, { servedAtMost: 1, cutOff: 500, advisedSize: 11 }],
    ["no share", { ...FULL, utilization: 0 }, { servedAtMost: 1, cutOff: 500, advisedSize: undefined }],
    ["no share, but all served", { utilization: 0, visits: { a: 500 } }, { servedAtMost: 1, advisedSize: 10 }],
    [
      "nothing at all",
      { utilization: 0, settings: { minimum: 0 } },
      { servedAtMost: 0, cutOff: undefined, unserved: [], nextFreeAt: undefined, advisedSize: 10 },
    ],
    [
      "a flagged tracker whose source would be served",
      { size: 1, utilization: 1, trackers: [flaggedTracker("+1", "b", daysAgo(1))], visits: { a: 200, b: 150 } },
      { advisedSize: 2 },
    ],
    [
      "a share that reaches no more than the largest pool",
      { size: 1, utilization: 0.0001, visits: { a: 200, b: 150 } },
      { advisedSize: undefined },
    ],
    [
      "a pool above its size that serves all: its size does already",
      {
        size: 1,
        utilization: 1,
        trackers: [activeTracker("+1", "a"), flaggedTracker("+2", "x", daysAgo(1))],
        visits: { a: 200 },
      },
      { advisedSize: 1 },
    ],
    [
      "a manual pool",
      { isManual: true, size: 2, trackers: [flaggedTracker("+1", undefined, daysAgo(10))], visits: { a: 200 } },
      { servedAtMost: 0, cutOff: undefined, missing: 1, nextFreeAt: daysAgo(-20), advisedSize: undefined },
    ],
    ["a pool of trackers that wait", { trackers: availableTrackers(10) }, { nextFreeAt: undefined, advisedSize: 10 }],
  ])("%s", (_, scenario, facts) => {
    expect(explainPool(passInput(scenario))).toMatchObject(facts);
  });
});

describe("an explanation of any pool", () => {
  const anyAutomanaged = anyPassInput(fc.constant(false));

  test("calls served what has an active tracker after a pass, and nothing else", () => {
    fc.assert(
      fc.property(anyAutomanaged, (input) => {
        const { trackers } = runPass(input);
        const held = trackers.flatMap(({ source, trackingNumber, status }) => {
          return source ? [{ key: sourceKey(source), trackingNumber, trackerStatus: status }] : [];
        });
        const rows = explainPool(input).sources;
        for (const row of rows) {
          const holder = held.find(({ key }) => key === sourceKey(row));
          expect(row.isServed).toBe(holder?.trackerStatus === "active");
          expect([row.trackingNumber, row.trackerStatus]).toEqual([holder?.trackingNumber, holder?.trackerStatus]);
        }
        const keys = rows.map(sourceKey);
        expect(new Set(keys).size).toBe(keys.length);
        expect(keys).toEqual(expect.arrayContaining([...input.sources.map(sourceKey), ...held.map(({ key }) => key)]));
      }),
      { numRuns: 300 },
    );
  });

  test("gives each source exactly one reason, as its state is", () => {
    fc.assert(
      fc.property(anyAutomanaged, (input) => {
        const { sources, unserved, cutOff } = explainPool(input);
        const unservedKeys = unserved.map(sourceKey);
        for (const row of sources) {
          const isUnserved = unservedKeys.includes(sourceKey(row));
          expect(row.reason.startsWith("holds")).toBe(row.isServed);
          expect(/^(no number left|gets)/.test(row.reason)).toBe(isUnserved);
          expect(/^(rank|\d+ visits?, needs)/.test(row.reason)).toBe(!row.isServed && !isUnserved);
          if (row.isServed || isUnserved) expect(row.visits).toBeGreaterThanOrEqual(cutOff ?? Number.POSITIVE_INFINITY);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("advises a size that serves all, and no smaller one that would", () => {
    fc.assert(
      fc.property(anyAutomanaged, (input) => {
        const { advisedSize } = explainPool(input);
        const { size } = input.pool;
        expect(canServeAll(input, advisedSize ?? 60)).toBe(advisedSize !== undefined);
        expect(advisedSize ?? size).toBeGreaterThanOrEqual(size);
        if (advisedSize !== undefined && advisedSize > size && input.trackers.length <= size) {
          expect(canServeAll(input, advisedSize - 1)).toBe(false);
        }
      }),
      { numRuns: 500 },
    );
  });
});

/** Whether a pool of the size serves all sources above the threshold after two passes, if the inventory is large enough. */
function canServeAll(input: PassInput, size: number): boolean {
  const inventory = Array.from({ length: size }, (_, i) => `+9-${i}`);
  const wide = { ...input, pool: { ...input.pool, size }, inventory };
  const { top, unserved } = runPass(afterPass(wide, runPass(wide)));
  const wanted = input.sources.filter(({ visits }) => visits > input.settings.visitThreshold).length;
  return top.length === wanted && unserved.length === 0 && activeAtMost(wide.pool, input.settings) >= wanted;
}
