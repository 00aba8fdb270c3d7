import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runPass } from "./call-tracker-pass.js";
import type { PassInput } from "./pass-input.js";
import { type PlannedChange, type PlannedPoolChange, planPool } from "./pool-plan.js";
import { afterPass, anyPassInput } from "./testing/pass-history.js";
import {
  activeTracker,
  availableTracker,
  availableTrackers,
  cpc,
  DAY,
  daysAgo,
  flaggedTracker,
  NOW,
  passInput,
  type Scenario,
} from "./testing/pass-scenario.js";

const FOUR = {
  size: 4,
  utilization: 1,
  trackers: ["a", "b", "c", "d"].map((name, i) => activeTracker(`+${i + 1}`, name)),
  visits: { a: 500, b: 400, c: 300, d: 200 },
} satisfies Scenario;

describe("a plan", () => {
  test.each<[name: string, scenario: Scenario, change: PlannedPoolChange, changes: readonly string[]]>([
    ["no change of a pool that is at rest", FOUR, {}, []],
    ["the same size and utilization", FOUR, { size: 4, utilization: 1 }, []],
    [
      "to shrink: who is flagged now, and deleted when the timeline ends",
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
      "to grow: who is added and gets a number",
      { ...FOUR, visits: { ...FOUR.visits, e: 150, f: 140 }, inventory: ["+5"] },
      { size: 6 },
      ["0: added +5", "0: activated +5 e"],
    ],
    [
      "utilization 0: all but the minimum are flagged, and freed when the timeline ends",
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
      "another area code: only new trackers have it",
      { ...FOUR, size: 5, inventory: [] },
      { inventory: ["+333", "+334"] },
      ["0: added +333"],
    ],
    [
      "what happens anyway",
      { ...FOUR, size: 5, trackers: [...FOUR.trackers, flaggedTracker("+5", "x", daysAgo(20))] },
      { size: 4 },
      ["10: deactivated +5 x (anyway)", "10: deleted +5"],
    ],
    [
      "what is freed serves at once, in a pass of its own",
      { ...FOUR, trackers: [...FOUR.trackers.slice(0, 3), flaggedTracker("+5", "x", daysAgo(30))] },
      {},
      ["0: deactivated +5 x (anyway)", "0: activated +5 d (anyway)"],
    ],
    [
      "a manual pool fills with the numbers that it deleted",
      { isManual: true, size: 2, trackers: [activeTracker("+1"), flaggedTracker("+2", undefined, daysAgo(29))] },
      { utilization: 0.5 },
      ["1: deleted +2 (anyway)", "1: added +2 (anyway)"],
    ],
    [
      "but not under another area code",
      { isManual: true, size: 2, trackers: [activeTracker("+1"), flaggedTracker("+2", undefined, daysAgo(29))] },
      { inventory: ["+3"] },
      ["1: deleted +2 (anyway)", "1: added +3"],
    ],
    [
      "unless it is said that the area code stays",
      { isManual: true, size: 2, trackers: [activeTracker("+1"), flaggedTracker("+2", undefined, daysAgo(29))] },
      { inventory: [], keepsAreaCode: true },
      ["1: deleted +2 (anyway)", "1: added +2 (anyway)"],
    ],
    [
      "an empty pass does not end it: later timelines end as well",
      {
        isManual: true,
        size: 2,
        trackers: [flaggedTracker("+1", undefined, daysAgo(30)), flaggedTracker("+2", undefined, daysAgo(10))],
      },
      { inventory: [] },
      ["0: deleted +1 (anyway)", "20: deleted +2 (anyway)"],
    ],
  ])("%s", (_, scenario, change, changes) => {
    expect(planPool(passInput(scenario), change).changes.map(changeText)).toEqual(changes);
  });

  test("says who is unserved and what is missing in the end", () => {
    const input = passInput({ ...FOUR, visits: { ...FOUR.visits, e: 150, f: 140 }, inventory: ["+5"] });
    expect(planPool(input, { size: 8 })).toMatchObject({ unserved: [{ ...cpc("f"), visits: 140 }], missing: 3 });
    expect(planPool(input, { size: 4 })).toMatchObject({ unserved: [], missing: 0 });
  });

  test("gives the reasons and the moments", () => {
    expect(planPool(passInput({ size: 1, trackers: [activeTracker("+1", "a")] }), { size: 2 }).changes).toEqual([
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
        reason: "flagged 30 days ago",
        at: daysAgo(-30),
        happensAnyway: true,
      },
    ]);
  });

  test("looks as far as it is told, that moment included", () => {
    const input = passInput({ ...FOUR, trackers: [availableTracker("+5"), flaggedTracker("+6", "x", daysAgo(20))] });
    const kindsWithin = (horizonMs: number) => planPool(input, {}, horizonMs).changes.map(({ kind }) => kind);
    expect(kindsWithin(0)).toEqual(["activated"]);
    expect(kindsWithin(10 * DAY - 1)).toEqual(["activated"]);
    expect(kindsWithin(10 * DAY)).toEqual(["activated", "deactivated", "activated"]);
  });

  test("is there soon for the largest pool too, of which each timeline ends at a moment of its own", () => {
    const flagged = Array.from({ length: 5000 }, (_, i) =>
      flaggedTracker(`+1${i}`, `old ${i}`, daysAgo(20 + i / 1000)),
    );
    const active = Array.from({ length: 5000 }, (_, i) => activeTracker(`+2${i}`, `low ${i}`));
    const visits = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, i) => (i < 5000 ? [`new ${i}`, 1000] : [`low ${i - 5000}`, 500])),
    );
    const plan = planPool(passInput({ size: 10_000, utilization: 1, trackers: [...flagged, ...active], visits }), {
      size: 5000,
    });
    const count = (kind: string) => plan.changes.filter((change) => change.kind === kind).length;
    // Each that was flagged before serves a source that is new, and each that the new ones displace is deleted.
    expect([count("flagged"), count("activated"), count("deactivated"), count("deleted")]).toEqual([
      5000, 5000, 10_000, 5000,
    ]);
    expect(plan.unserved).toEqual([]);
  });

  test("a pool of which nothing is due is left in peace", () => {
    expect(planPool(passInput({ trackers: availableTrackers(10) }), {})).toEqual({
      changes: [],
      unserved: [],
      missing: 0,
    });
  });

  const anyChange: fc.Arbitrary<PlannedPoolChange> = fc.record(
    { size: fc.integer({ min: 1, max: 8 }), utilization: fc.constantFrom(0, 0.29, 0.58, 1) },
    { requiredKeys: [] },
  );

  test("is what passes do whenever time makes a change", () => {
    fc.assert(
      fc.property(anyPassInput(), anyChange, (input, change) => {
        const horizonMs = input.settings.timelineMs + DAY;
        const { changes, unserved, missing } = planPool(input, change, horizonMs);
        const { size = input.pool.size, utilization = input.pool.utilization } = change;
        const pool = { ...input.pool, size, utilization };
        const lived = live({ ...input, pool }, input.now.getTime() + horizonMs);
        expect(changes.map(({ happensAnyway: _, ...each }) => each)).toEqual(lived.changes);
        expect({ unserved, missing }).toEqual({ unserved: lived.unserved, missing: lived.missing });
      }),
      { numRuns: 500 },
    );
  });

  test("of no change happens anyway", () => {
    fc.assert(
      fc.property(anyPassInput(), (input) => {
        expect(planPool(input, {}).changes.every(({ happensAnyway }) => happensAnyway)).toBe(true);
      }),
    );
  });
});

/** Lets time pass: a pass at every moment at which a timeline could end, and again until one changes nothing. */
function live(input: PassInput, until: number) {
  const started = input.now.getTime();
  const drops = input.trackers.flatMap(({ droppedAt }) => (droppedAt ? droppedAt.getTime() : []));
  const ends = [started, ...drops].map((each) => each + input.settings.timelineMs);
  const moments = [...new Set([started, ...ends])].filter((each) => each >= started && each <= until);
  const changes: Omit<PlannedChange, "happensAnyway">[] = [];
  let state = input;
  let outcome = runPass(state);
  for (const moment of moments.sort((one, other) => one - other)) {
    const at = new Date(moment);
    do {
      outcome = runPass({ ...state, now: at });
      changes.push(...outcome.changes.map((change) => ({ ...change, at })));
      state = afterPass(state, outcome);
    } while (outcome.changes.length > 0);
  }
  return { changes, unserved: outcome.unserved, missing: outcome.missing };
}

function changeText({ kind, trackingNumber, source, at, happensAnyway }: PlannedChange): string {
  const what = source ? `${kind} ${trackingNumber} ${source.source}` : `${kind} ${trackingNumber}`;
  return `${(at.getTime() - NOW.getTime()) / DAY}: ${what}${happensAnyway ? " (anyway)" : ""}`;
}
