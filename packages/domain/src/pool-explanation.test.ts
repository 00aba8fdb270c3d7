import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { computeMaxActiveTrackers, type PassInput } from "./pass-input.js";
import { createSourceKey } from "./source-medium.js";
import { anyPassInput, nextPassInput } from "./testing/pass-history.js";
import {
  activeTracker,
  availableTracker,
  availableTrackers,
  cpc,
  daysAgo,
  flaggedTracker,
  NOW,
  passInput,
  retiring,
  type Scenario,
} from "./testing/pass-scenario.js";
import { explainPoolState, runPass } from "./testing/run-to-end.js";

function explain(scenario: Scenario) {
  return explainPoolState(passInput(scenario));
}

const FULL = {
  size: 2,
  utilization: 1,
  trackers: [activeTracker("+1", "a"), flaggedTracker("+2", "x", 10)],
  visits: { a: 500, b: 400, c: 300, d: 100 },
} satisfies Scenario;

describe("the reasons of an explanation", () => {
  test.each<[name: string, scenario: Scenario, reasons: { readonly [source: string]: string }]>([
    [
      "a full pool",
      FULL,
      {
        a: "the source holds +1 with rank 1 of 2",
        b: "no number is left: the pool holds 2 of 2 call trackers",
        c: "rank 3 of 2",
        d: "100 visits, needs 101",
        x: "0 visits, needs 101: the source keeps +2 until 2026-03-21T12:00:00.000Z",
      },
    ],
    [
      "a short inventory",
      { size: 5, utilization: 1, inventory: ["+1"], visits: { a: 500, b: 400 } },
      {
        a: "the source gets +1 in the next pass",
        b: "no number is left: the inventory lacks 4 of the pool's 5 numbers",
      },
    ],
    [
      "a number that the next pass frees",
      { ...FULL, trackers: [activeTracker("+1", "a"), flaggedTracker("+2", "x", 30)] },
      {
        a: "the source holds +1 with rank 1 of 2",
        b: "the source gets +2 in the next pass",
        c: "rank 3 of 2",
        d: "100 visits, needs 101",
        x: "0 visits, needs 101: the source loses +2 in the next pass",
      },
    ],
    [
      "numbers that the next pass frees, in activation order, and sources without visits, in order of source",
      {
        size: 2,
        utilization: 1,
        trackers: [flaggedTracker("+2", "y", 30), flaggedTracker("+1", "x", 30)],
        visits: { a: 500, b: 400 },
      },
      {
        a: "the source gets +1 in the next pass",
        b: "the source gets +2 in the next pass",
        x: "0 visits, needs 101: the source loses +1 in the next pass",
        y: "0 visits, needs 101: the source loses +2 in the next pass",
      },
    ],
    [
      "a source that returns",
      { size: 1, trackers: [flaggedTracker("+1", "a", 1)], visits: { a: 200 } },
      { a: "the source gets +1 back in the next pass" },
    ],
    [
      "a number that is being retired, with a replacement",
      { size: 2, trackers: [retiring(activeTracker("+1", "a")), availableTracker("+2")], visits: { a: 200 } },
      { a: "+1 is being retired: the source gets +2 in the next pass" },
    ],
    [
      "a number that is being retired, without a replacement",
      { size: 1, trackers: [retiring(activeTracker("+1", "a"))], visits: { a: 200 } },
      {
        a: "no number is left: the pool holds 1 of 1 call trackers; the source keeps +1 until 2026-03-31T12:00:00.000Z",
      },
    ],
    [
      "a number that is being retired beside its replacement",
      {
        trackers: [retiring(flaggedTracker("+1", "a", 1)), activeTracker("+2", "a")],
        visits: { a: 200 },
      },
      { a: "the source holds +2 with rank 1 of 5" },
    ],
    [
      "a number that is retired immediately, without a replacement",
      { size: 1, trackers: [retiring(activeTracker("+1", "a"), "immediate")], visits: { a: 200 } },
      { a: "no number is left: the inventory lacks 1 of the pool's 1 numbers; the source loses +1 in the next pass" },
    ],
    [
      "a frozen pool",
      {
        ...FULL,
        isFrozen: true,
        size: 3,
        trackers: [
          activeTracker("+1", "a"),
          flaggedTracker("+2", "x", 40),
          activeTracker("+3", "d"),
          flaggedTracker("+4", "c", 1),
        ],
        inventory: ["+5"],
      },
      {
        a: "the source holds +1 with rank 1 of 3",
        b: "rank 2 of 3: the source gets no number, because the account is disabled",
        c: "rank 3 of 3: the source keeps +4, because the account is disabled",
        d: "100 visits, needs 101: the source keeps +3, because the account is disabled",
        x: "0 visits, needs 101: the source keeps +2, because the account is disabled",
      },
    ],
    [
      "a source that is flagged for its rank",
      { size: 1, utilization: 1, trackers: [flaggedTracker("+1", "b", 1)], visits: { a: 200, b: 150 } },
      {
        a: "no number is left: the pool holds 1 of 1 call trackers",
        b: "rank 2 of 1: the source keeps +1 until 2026-03-30T12:00:00.000Z",
      },
    ],
    ["a manual pool", { isManual: true, visits: { a: 500 } }, {}],
  ])("%s", (_, scenario, reasons) => {
    const rows = explain(scenario).sources;
    expect(rows.map(({ source, reason }) => [source, reason])).toEqual(Object.entries(reasons));
  });
});

test("explains all fields of a source", () => {
  const [plus1, plus2] = FULL.trackers;
  expect(explain(FULL).sources.map(({ reason: _, ...row }) => row)).toEqual([
    { ...cpc("a"), visits: 500, rank: 1, tracker: plus1, isServed: true },
    { ...cpc("b"), visits: 400, rank: 2, tracker: undefined, isServed: false },
    { ...cpc("c"), visits: 300, rank: 3, tracker: undefined, isServed: false },
    { ...cpc("d"), visits: 100, rank: 4, tracker: undefined, isServed: false },
    { ...cpc("x"), visits: 0, rank: undefined, tracker: plus2, isServed: false },
  ]);
});

describe("an explanation of numbers that are being retired", () => {
  const until = new Date("2026-03-31T12:00:00.000Z");

  test.each<[name: string, scenario: Scenario, deletedAt: Date | undefined, reason: string]>([
    [
      "available",
      { trackers: [retiring(availableTracker("+1"))] },
      NOW,
      "the call tracker is deleted in the next pass",
    ],
    [
      "immediate",
      { trackers: [retiring(activeTracker("+1", "a"), "immediate")] },
      NOW,
      "the call tracker is deleted in the next pass",
    ],
    [
      "active",
      { trackers: [retiring(activeTracker("+1", "a"))] },
      until,
      "the call tracker is flagged in the next pass, and tracks calls until 2026-03-31T12:00:00.000Z",
    ],
    [
      "flagged",
      { trackers: [retiring(flaggedTracker("+1", "a", 0))] },
      until,
      "the call tracker tracks calls until 2026-03-31T12:00:00.000Z",
    ],
    [
      "active in a manual pool",
      { isManual: true, trackers: [retiring(activeTracker("+1"))] },
      undefined,
      "the call tracker stays until a person flags it",
    ],
    [
      "immediate in a frozen pool",
      { isFrozen: true, trackers: [retiring(activeTracker("+1", "a"), "immediate")] },
      undefined,
      "the call tracker stays unchanged, because the account is disabled",
    ],
  ])("%s", (_, scenario, deletedAt, reason) => {
    const { trackers = [] } = scenario;
    const shown = explain({ ...scenario, trackers: [...trackers, availableTracker("+9")] }).retiring;
    expect(shown).toEqual([{ tracker: trackers[0], deletedAt, reason }]);
  });

  test("excludes them from the next free number", () => {
    const trackers = [retiring(flaggedTracker("+1", "a", 20)), flaggedTracker("+2", "b", 10)];
    expect(explain({ trackers }).nextFreeAt).toEqual(daysAgo(-20));
    expect(explain({ trackers, isFrozen: true }).nextFreeAt).toBeUndefined();
  });

  test("advises a size with room for them and their replacements", () => {
    const trackers = [retiring(activeTracker("+1", "a"))];
    const scenario = { size: 1, utilization: 1, trackers, visits: { a: 200 } };
    expect(explain(scenario)).toMatchObject({
      advisedSize: 2,
      unserved: [{ ...cpc("a"), visits: 200 }],
    });
  });
});

describe("the pool in an explanation", () => {
  test.each<[name: string, scenario: Scenario, facts: object]>([
    [
      "a full pool: 3 sources above the threshold, and a flagged tracker",
      FULL,
      { maxServedSources: 2, cutOff: 400, missing: 0, nextFreeAt: daysAgo(-20), advisedSize: 4 },
    ],
    ["who is unserved", FULL, { unserved: [{ ...cpc("b"), visits: 400 }] }],
    [
      "fewer top sources than places",
      { visits: { a: 500 } },
      { maxServedSources: 5, cutOff: 101, missing: 10, advisedSize: 10 },
    ],
    ["a share of it", { ...FULL, utilization: 0.29 }, { maxServedSources: 1, cutOff: 500, advisedSize: 11 }],
    ["no share", { ...FULL, utilization: 0 }, { maxServedSources: 1, cutOff: 500, advisedSize: undefined }],
    ["no share, but all served", { utilization: 0, visits: { a: 500 } }, { maxServedSources: 1, advisedSize: 10 }],
    [
      "an empty pool",
      { utilization: 0, settings: { minimum: 0 } },
      { maxServedSources: 0, cutOff: undefined, unserved: [], nextFreeAt: undefined, advisedSize: 10 },
    ],
    [
      "a flagged tracker of a source above the threshold",
      { size: 1, utilization: 1, trackers: [flaggedTracker("+1", "b", 1)], visits: { a: 200, b: 150 } },
      { advisedSize: 2 },
    ],
    [
      "a share that is too small even for the largest pool",
      { size: 1, utilization: 0.0001, visits: { a: 200, b: 150 } },
      { advisedSize: undefined },
    ],
    [
      "a pool above its size that serves all sources",
      {
        size: 1,
        utilization: 1,
        trackers: [activeTracker("+1", "a"), flaggedTracker("+2", "x", 1)],
        visits: { a: 200 },
      },
      { advisedSize: 1 },
    ],
    [
      "a manual pool",
      { isManual: true, size: 2, trackers: [flaggedTracker("+1", undefined, 10)], visits: { a: 200 } },
      { maxServedSources: 0, cutOff: undefined, missing: 1, nextFreeAt: daysAgo(-20), advisedSize: undefined },
    ],
    ["a pool of trackers that wait", { trackers: availableTrackers(10) }, { nextFreeAt: undefined, advisedSize: 10 }],
  ])("%s", (_, scenario, facts) => {
    expect(explain(scenario)).toMatchObject(facts);
  });
});

describe("an explanation of any pool", () => {
  const anyAutomanaged = anyPassInput(fc.constant(false));

  test("marks sources with an active tracker as served, and shows one tracker per source", () => {
    fc.assert(
      fc.property(anyAutomanaged, (input) => {
        const rows = explainPoolState(input).sources;
        for (const row of rows) {
          const held = input.trackers.filter(
            ({ source }) => source && createSourceKey(source) === createSourceKey(row),
          );
          expect(row.isServed).toBe(held.some(({ status }) => status === "active"));
          expect(row.tracker?.status === "active").toBe(row.isServed);
          if (row.tracker === undefined) expect(held).toEqual([]);
          else expect(held).toContain(row.tracker);
        }
        const keys = rows.map(createSourceKey);
        expect(new Set(keys).size).toBe(keys.length);
        const held = input.trackers.flatMap(({ source }) => (source ? [createSourceKey(source)] : []));
        expect(keys).toEqual(expect.arrayContaining([...input.sources.map(createSourceKey), ...held]));
      }),
      { numRuns: 300 },
    );
  });

  test("gives each source one reason that matches the next pass", () => {
    fc.assert(
      fc.property(anyAutomanaged, (input) => {
        const { trackers } = runPass(input);
        const active = new Set(
          trackers.flatMap(({ source, status }) => (source && status === "active" ? createSourceKey(source) : [])),
        );
        const { sources, unserved, cutOff } = explainPoolState(input);
        const unservedKeys = unserved.map(createSourceKey);
        for (const row of sources) {
          const isUnserved = unservedKeys.includes(createSourceKey(row));
          const isServed = active.has(createSourceKey(row));
          if (isServed || isUnserved) expect(row.visits > 0 || input.pool.isFrozen).toBe(true);
          if (input.pool.isFrozen) {
            expect(/gets no number/.test(row.reason)).toBe(isUnserved && row.tracker === undefined);
            continue;
          }
          expect(
            /^(the source holds|(\S+ is being retired: )?the source gets \S+( back)? in the next pass(;|$))/.test(
              row.reason,
            ),
          ).toBe(isServed || /^the source gets/.test(row.reason));
          expect(/^(no number is left|the source gets \S+ in the next pass)/.test(row.reason) && !isServed).toBe(
            isUnserved,
          );
          expect(/^(rank|\d+ visits?, needs)/.test(row.reason)).toBe(!isServed && !isUnserved);
          if (isServed || isUnserved) expect(row.visits).toBeGreaterThanOrEqual(cutOff ?? Number.POSITIVE_INFINITY);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("advises the smallest size that serves all sources", () => {
    fc.assert(
      fc.property(anyAutomanaged, (input) => {
        const { advisedSize } = explainPoolState(input);
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

/**
 * Reports whether a pool of this size serves all sources above the threshold after two passes with a large inventory.
 */
function canServeAll(input: PassInput, size: number): boolean {
  const inventory = Array.from({ length: size }, (_, i) => `+9-${i}`);
  const wide = { ...input, pool: { ...input.pool, isFrozen: false, size }, inventory };
  const { top, unserved } = runPass(nextPassInput(wide, runPass(wide)));
  const wanted = input.sources.filter(({ visits }) => visits > input.settings.visitThreshold).length;
  return (
    top.length === wanted && unserved.length === 0 && computeMaxActiveTrackers(wide.pool, input.settings) >= wanted
  );
}
