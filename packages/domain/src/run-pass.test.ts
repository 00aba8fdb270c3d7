import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { computeMaxActiveTrackers, type PassInput } from "./pass-input.js";
import { findUnservedSources } from "./pass-steps.js";
import { compareActivationOrder, type PassTracker } from "./pass-tracker.js";
import type { PassOutcome } from "./run-pass.js";
import { createSourceKey } from "./source-medium.js";
import { anyHistory, nextPassInput, playHistory } from "./testing/pass-history.js";
import {
  activeTracker,
  availableTracker,
  availableTrackers,
  cpc,
  DAY_MS,
  daysAgo,
  flaggedTracker,
  NOW,
  numbers,
  passInput,
  retiring,
  type Scenario,
} from "./testing/pass-scenario.js";
import { runPass } from "./testing/run-to-end.js";
import type { TrackerChange } from "./tracker-change.js";

function pass(scenario: Scenario): PassOutcome {
  return runPass(passInput(scenario));
}

describe("a pass", () => {
  test.each<[consequence: string, scenario: Scenario, changes: readonly string[]]>([
    [
      "fills the pool in the order of the inventory, and activates what it added",
      { size: 3, utilization: 1, inventory: ["+3", "+1", "+2", "+4"], visits: { google: 200, bing: 101 } },
      ["added +3", "added +1", "added +2", "activated +1 google", "activated +2 bing"],
    ],
    [
      "skips numbers that the pool's trackers already have",
      { size: 3, trackers: availableTrackers(2), inventory: ["+1", "+3", "+3"] },
      ["added +3"],
    ],
    [
      "requires more visits than the threshold",
      { trackers: availableTrackers(10), visits: { google: 101, bing: 100 } },
      ["activated +1 google"],
    ],
    [
      "activates the exact share of the size",
      {
        size: 50,
        utilization: 0.58,
        trackers: availableTrackers(50),
        visits: Object.fromEntries(numbers(40).map((number, i) => [`s${number}`, 1000 - i])),
      },
      numbers(29).map((number, i) => `activated ${byCodePoints(50)[i]} s${number}`),
    ],
    [
      "activates the minimum however small the share",
      {
        utilization: 0,
        settings: { minimum: 2 },
        trackers: availableTrackers(10),
        visits: { google: 300, bing: 200, yahoo: 150 },
      },
      ["activated +1 google", "activated +10 bing"],
    ],
    [
      "activates nothing if the share and the minimum are 0",
      zeroShare({ trackers: availableTrackers(1), size: 1 }),
      [],
    ],
    [
      "activates the tracker available for longest, and breaks ties by number",
      {
        size: 3,
        utilization: 1,
        trackers: [availableTracker("+1", 1), availableTracker("+3", 2), availableTracker("+2", 2)],
        visits: { google: 300, bing: 200, yahoo: 150 },
      },
      ["activated +2 google", "activated +3 bing", "activated +1 yahoo"],
    ],
    [
      "flags sources outside the top and gives the number back only to a returning source",
      {
        size: 2,
        trackers: [activeTracker("+1", "google"), flaggedTracker("+2", "bing", 29)],
        visits: { bing: 101 },
      },
      ["flagged +1 google", "unflagged +2 bing"],
    ],
    ["flags a source without visits", { size: 1, trackers: [activeTracker("+1", "google")] }, ["flagged +1 google"]],
    [
      "an active source wins a tie for the last place",
      {
        size: 2,
        trackers: [activeTracker("+1", "yahoo"), flaggedTracker("+2", "google", 1)],
        visits: { bing: 200, google: 200, yahoo: 200 },
      },
      [],
    ],
    [
      "a flagged source wins a tie for the last place if none is active",
      {
        size: 2,
        trackers: [flaggedTracker("+1", "yahoo", 1), availableTracker("+2")],
        visits: { bing: 200, yahoo: 200 },
      },
      ["unflagged +1 yahoo"],
    ],
    [
      "sources without trackers win a tie for the last place by code point order",
      { size: 2, trackers: availableTrackers(2), visits: { "\u{1F4DE}": 200, "\uffff": 200 } },
      ["activated +1 \uffff"],
    ],
    [
      "the next pass reuses a number freed in step 5",
      { size: 1, trackers: [flaggedTracker("+1", "google", 30)], visits: { bing: 200 } },
      ["deactivated +1 google"],
    ],
    [
      "a grace period lasts to its last millisecond",
      {
        size: 1,
        trackers: [{ ...flaggedTracker("+1", "google", 30), droppedAt: new Date(daysAgo(30).getTime() + 1) }],
        visits: { bing: 200 },
      },
      [],
    ],
    [
      "a source that returns before the pass keeps its expired tracker",
      { size: 1, trackers: [flaggedTracker("+1", "google", 90)], visits: { google: 101 } },
      ["unflagged +1 google"],
    ],
    [
      "a shrink never deletes active or flagged trackers",
      {
        size: 1,
        utilization: 1,
        trackers: [
          activeTracker("+1", "google"),
          activeTracker("+2", "bing"),
          flaggedTracker("+3", "yahoo", 29),
          availableTracker("+4"),
        ],
        visits: { google: 300, bing: 200 },
      },
      ["flagged +2 bing", "deleted +4"],
    ],
    [
      "deletes trackers that step 5 freed if the pool exceeds its size",
      {
        size: 1,
        utilization: 1,
        trackers: [activeTracker("+1", "google"), flaggedTracker("+2", "bing", 30)],
        visits: { google: 300 },
      },
      ["deactivated +2 bing", "deleted +2"],
    ],
    [
      "step 4 activates an available tracker before step 6 can delete it",
      {
        size: 2,
        utilization: 1,
        trackers: [activeTracker("+1", "google"), flaggedTracker("+2", "bing", 1), availableTracker("+3")],
        visits: { google: 300, yahoo: 200 },
      },
      ["activated +3 yahoo"],
    ],
    [
      "deletes the available tracker that is last in activation order",
      {
        size: 2,
        trackers: [
          availableTracker("+1", 3),
          availableTracker("+2", 1),
          availableTracker("+3", 1),
          availableTracker("+4", 2),
          flaggedTracker("+5", "google", 30),
        ],
      },
      ["deactivated +5 google", "deleted +5", "deleted +3", "deleted +2"],
    ],
    [
      "a changed area code applies to new trackers only",
      {
        size: 3,
        trackers: [activeTracker("+1222", "google"), availableTracker("+1223")],
        inventory: ["+1333"],
        visits: { google: 300 },
      },
      ["added +1333"],
    ],
    [
      "rank changes within the top move no numbers",
      {
        size: 4,
        trackers: [
          activeTracker("+1", "google"),
          activeTracker("+2", "bing"),
          ...["+3", "+4"].map((each) => availableTracker(each)),
        ],
        visits: { bing: 900, google: 101 },
      },
      [],
    ],
    [
      "uses all numbers of a short inventory",
      { size: 10, inventory: ["+1"], visits: { google: 300, bing: 200 } },
      ["added +1", "activated +1 google"],
    ],
    [
      "tolerates a clock that jumps back",
      {
        size: 3,
        trackers: [activeTracker("+1", "google"), flaggedTracker("+2", "yahoo", -40), availableTracker("+3", -40)],
        visits: { google: 300, bing: 200 },
        utilization: 1,
      },
      ["activated +3 bing"],
    ],
    [
      "runs the steps in order",
      {
        size: 6,
        utilization: 0.5,
        trackers: [
          flaggedTracker("+1", "old", 31),
          flaggedTracker("+2", "back", 31),
          activeTracker("+3", "stays"),
          activeTracker("+4", "goes"),
          availableTracker("+5"),
        ],
        inventory: ["+6"],
        visits: { stays: 300, new: 400, back: 200, goes: 150 },
      },
      ["added +6", "flagged +4 goes", "unflagged +2 back", "activated +5 new", "deactivated +1 old"],
    ],
    [
      "a manual pool only fills up and deletes flagged trackers whose grace period ended",
      {
        isManual: true,
        size: 5,
        trackers: [
          activeTracker("+1"),
          activeTracker("+2"),
          flaggedTracker("+3", undefined, 30),
          flaggedTracker("+4", undefined, 29),
        ],
        inventory: ["+5", "+6"],
        visits: { google: 300 },
      },
      ["added +5", "deleted +3"],
    ],
    [
      "a manual pool above its size deletes available trackers only",
      {
        isManual: true,
        size: 1,
        trackers: [
          activeTracker("+1"),
          flaggedTracker("+2", undefined, 29),
          ...["+3", "+4"].map((each) => availableTracker(each)),
        ],
      },
      ["deleted +4", "deleted +3"],
    ],
    [
      "a manual pool deletes flagged trackers before it checks its size",
      {
        isManual: true,
        size: 2,
        trackers: [...availableTrackers(3), flaggedTracker("+4", undefined, 30)],
      },
      ["deleted +4", "deleted +3"],
    ],
    [
      "a frozen pool does not change",
      {
        isFrozen: true,
        size: 2,
        trackers: [
          activeTracker("+1", "google"),
          flaggedTracker("+2", "bing", 31),
          retiring(availableTracker("+3"), "immediate"),
        ],
        inventory: ["+4"],
        visits: { yahoo: 300 },
      },
      [],
    ],
  ])("%s", (_, scenario, changes) => {
    expect(pass(scenario).changes.map(changeText)).toEqual(changes);
  });

  test("distinguishes sources with any texts", () => {
    const source = { source: "a / b", medium: "c" };
    const tracker: PassTracker = { ...activeTracker("+1"), source };
    const sources = [{ source: "a", medium: "b / c", visits: 101 }];
    expect(runPass({ ...passInput({ size: 1, trackers: [tracker] }), sources }).changes).toMatchObject([
      { kind: "flagged", trackingNumber: "+1", source },
    ]);
  });

  test("keeps the order of trackers and applies the changes", () => {
    const { trackers } = pass({
      size: 5,
      trackers: [
        flaggedTracker("+1", "old", 31),
        flaggedTracker("+2", "back", 31),
        activeTracker("+3", "goes"),
        availableTracker("+4"),
      ],
      inventory: ["+5"],
      visits: { new: 400, back: 200 },
    });
    expect(trackers).toEqual([
      { ...availableTracker("+1"), availableSince: NOW },
      activeTracker("+2", "back"),
      { ...activeTracker("+3", "goes"), status: "flagged", droppedAt: NOW },
      activeTracker("+4", "new"),
      { ...availableTracker("+5"), availableSince: NOW },
    ]);
  });

  test("a second pass changes only what step 5 freed", () => {
    const input = passInput({
      size: 3,
      utilization: 1,
      trackers: [activeTracker("+1", "google"), flaggedTracker("+2", "yahoo", 31), flaggedTracker("+3", "ask", 29)],
      visits: { google: 300, bing: 200, news: 150 },
    });
    const first = runPass(input);
    expect(first.changes.map(changeText)).toEqual(["deactivated +2 yahoo"]);
    const second = runPass(nextPassInput(input, first));
    expect(second.changes.map(changeText)).toEqual(["activated +2 bing"]);
    const third = runPass(nextPassInput(input, second));
    expect(third.changes).toEqual([]);
  });

  test("a pool exceeds its size for exactly 30 days after a shrink", () => {
    const names = ["a", "b", "c", "d"];
    const trackers = names.map((name, i) => activeTracker(`+${i}`, name));
    const visits = Object.fromEntries(names.map((name, i) => [name, 500 - i]));
    const input = passInput({ size: 2, utilization: 1, trackers, visits });
    const shrunk = runPass(input);
    expect([shrunk.trackers.length, shrunk.nextDueAt]).toEqual([4, daysAgo(-30)]);
    const before = runPass({ ...nextPassInput(input, shrunk), now: new Date(daysAgo(-30).getTime() - 1) });
    expect(before.changes).toEqual([]);
    const after = runPass({ ...nextPassInput(input, shrunk), now: daysAgo(-30) });
    expect([after.trackers.length, after.nextDueAt]).toEqual([2, undefined]);
  });
});

describe("a number that is being retired", () => {
  test.each<[rule: string, scenario: Scenario, changes: readonly string[]]>([
    [
      "leaves an available tracker before the pool fills, and is replaced",
      { size: 2, trackers: [retiring(availableTracker("+1")), availableTracker("+2")], inventory: ["+3", "+4"] },
      ["deleted +1", "added +3"],
    ],
    [
      "leaves an available tracker even without a replacement",
      { size: 1, trackers: [retiring(availableTracker("+1"))], visits: { google: 300 } },
      ["deleted +1"],
    ],
    [
      "leaves its source at any rank, and the source gets another",
      {
        size: 2,
        trackers: [retiring(activeTracker("+2", "google")), availableTracker("+1")],
        visits: { google: 300 },
      },
      ["flagged +2 google", "activated +1 google"],
    ],
    [
      "leaves its source even without a replacement, and still tracks calls",
      { size: 1, trackers: [retiring(activeTracker("+1", "google"))], inventory: ["+2"], visits: { google: 300 } },
      ["flagged +1 google"],
    ],
    [
      "never goes back to its source",
      { size: 1, trackers: [retiring(flaggedTracker("+1", "google", 1))], visits: { google: 300 } },
      [],
    ],
    [
      "leaves its tracker when the grace period ends, even if the source is in the top",
      { size: 1, trackers: [retiring(flaggedTracker("+1", "google", 30))], visits: { google: 300 } },
      ["deleted +1 google"],
    ],
    [
      "counts toward the size while it tracks calls",
      {
        size: 2,
        utilization: 1,
        trackers: [retiring(flaggedTracker("+1", "google", 1)), activeTracker("+2", "google")],
        inventory: ["+3"],
        visits: { google: 300, bing: 200 },
      },
      [],
    ],
    [
      "can serve a source together with another retiring number",
      {
        size: 3,
        trackers: [
          retiring(flaggedTracker("+1", "google", 2)),
          retiring(activeTracker("+2", "google")),
          availableTracker("+3"),
        ],
        visits: { google: 300 },
      },
      ["flagged +2 google", "activated +3 google"],
    ],
    [
      "wins a tie against a source without a tracker",
      {
        size: 2,
        trackers: [retiring(activeTracker("+1", "zeta")), availableTracker("+2")],
        visits: { alpha: 200, zeta: 200 },
      },
      ["flagged +1 zeta", "activated +2 zeta"],
    ],
    [
      "loses a tie against a flagged tracker, so that a second pass changes nothing",
      {
        size: 2,
        trackers: [retiring(activeTracker("+1", "alpha")), flaggedTracker("+2", "zeta", 1)],
        visits: { alpha: 200, zeta: 200 },
      },
      ["flagged +1 alpha", "unflagged +2 zeta"],
    ],
    ...(["active", "flagged", "available"] as const).map((status): [string, Scenario, readonly string[]] => [
      `leaves an ${status} tracker in the next pass if that is to be at once, and is replaced`,
      {
        size: 1,
        trackers: [retiring(trackerOf(status), "immediate")],
        inventory: ["+2"],
        visits: { google: 300 },
      },
      [status === "available" ? "deleted +1" : "deleted +1 google", "added +2", "activated +2 google"],
    ]),
    [
      "in a manual pool leaves available and expired trackers, but no active one",
      {
        isManual: true,
        size: 3,
        trackers: [
          retiring(availableTracker("+1")),
          retiring(activeTracker("+2")),
          retiring(flaggedTracker("+3", undefined, 30)),
        ],
        inventory: ["+4"],
      },
      ["deleted +1", "added +4", "deleted +3"],
    ],
    [
      "in a manual pool leaves an active tracker if retired immediately",
      { isManual: true, size: 1, trackers: [retiring(activeTracker("+1"), "immediate")], inventory: ["+2"] },
      ["deleted +1", "added +2"],
    ],
  ])("%s", (_, scenario, changes) => {
    expect(pass(scenario).changes.map(changeText)).toEqual(changes);
  });

  test("is missing from the inventory after it leaves an available tracker", () => {
    const outcome = pass({ size: 2, trackers: [retiring(availableTracker("+1")), availableTracker("+2")] });
    expect(outcome).toMatchObject({ missing: 1, nextDueAt: undefined });
  });

  test("leaves a vacancy that the next pass fills", () => {
    const trackers = [retiring(flaggedTracker("+1", "google", 30))];
    expect(pass({ size: 1, trackers })).toMatchObject({ missing: 0, nextDueAt: NOW });
  });
});

function trackerOf(status: PassTracker["status"]): PassTracker {
  if (status === "available") return availableTracker("+1");
  return status === "active" ? activeTracker("+1", "google") : flaggedTracker("+1", "google", 1);
}

describe("the reasons of a pass", () => {
  const FIVE = { a: 900, b: 800, c: 700, d: 600, e: 500 };

  test.each<[reason: string, scenario: Scenario]>([
    ["the pool holds 3 of 10 call trackers", { trackers: availableTrackers(3), inventory: ["+4"] }],
    [
      "the pool holds 12 of 10 call trackers; the pool holds 11 of 10 call trackers",
      { trackers: availableTrackers(12) },
    ],
    ["google / cpc has rank 6 of 5", { trackers: [activeTracker("+1", "google")], visits: { ...FIVE, google: 499 } }],
    ["google / cpc has 100 visits, needs 101", { trackers: [activeTracker("+1", "google")], visits: { google: 100 } }],
    [
      "google / cpc has 100 visits, needs 101",
      { trackers: [activeTracker("+1", "google")], visits: { ...FIVE, google: 100 } },
    ],
    ["google / cpc has 1 visit, needs 101", { trackers: [activeTracker("+1", "google")], visits: { google: 1 } }],
    ["google / cpc has 0 visits, needs 101", { trackers: [activeTracker("+1", "google")] }],
    ["google / cpc has rank 1 of 0", zeroShare({ trackers: [activeTracker("+1", "google")] })],
    ["the call tracker has no source", { trackers: [activeTracker("+1")] }],
    [
      "google / cpc is back in the top 5 with rank 2",
      { trackers: [flaggedTracker("+1", "google", 40)], visits: { google: 200, bing: 300 } },
    ],
    ["google / cpc has rank 1 of 5", { trackers: availableTrackers(10), visits: { google: 200 } }],
    ["the call tracker was flagged 30 days ago", { trackers: [flaggedTracker("+1", "google", 30)] }],
    ["the tracking number is being retired", { trackers: [retiring(availableTracker("+1"))] }],
    [
      "the tracking number is being retired",
      { trackers: [retiring(activeTracker("+1", "google"))], visits: { google: 300 } },
    ],
    ["the tracking number is being retired", { trackers: [retiring(activeTracker("+1", "google"))] }],
    [
      "the tracking number is being retired: the call tracker was flagged 30 days ago",
      { trackers: [retiring(flaggedTracker("+1", "google", 30))] },
    ],
    [
      "the tracking number is retired immediately",
      { trackers: [retiring(activeTracker("+1", "google"), "immediate")] },
    ],
    ["the call tracker was flagged 31 days ago", { isManual: true, trackers: [flaggedTracker("+1", undefined, 31)] }],
    [
      "the call tracker was flagged 1 minute ago",
      {
        settings: { gracePeriodMs: 1000 },
        trackers: [flaggedTracker("+1", "google", 60_000 / DAY_MS)],
      },
    ],
  ])("%s", (reason, scenario) => {
    const reasons = pass(scenario).changes.map((change) => change.reason);
    expect(reasons.join("; ")).toBe(reason);
  });
});

describe("outcome of a pass", () => {
  test.each<[name: string, scenario: Scenario, report: object]>([
    [
      "nothing",
      { size: 1, trackers: availableTrackers(1) },
      { top: [], unserved: [], missing: 0, nextDueAt: undefined },
    ],
    [
      "the top and its unserved sources",
      {
        size: 2,
        utilization: 1,
        inventory: ["+1"],
        visits: { google: 300, bing: 500, yahoo: 400 },
      },
      {
        top: [
          { ...cpc("bing"), visits: 500 },
          { ...cpc("yahoo"), visits: 400 },
        ],
        unserved: [{ ...cpc("yahoo"), visits: 400 }],
        missing: 1,
      },
    ],
    ["how many numbers the inventory lacked", { size: 10, inventory: numbers(3) }, { missing: 7 }],
    ["no lack in a pool above its size", { size: 2, trackers: availableTrackers(3) }, { missing: 0 }],
    [
      "the earliest end of a grace period",
      {
        trackers: [flaggedTracker("+1", "a", 10), flaggedTracker("+2", "b", 20), flaggedTracker("+3", "c", 30)],
      },
      { nextDueAt: daysAgo(-10) },
    ],
    [
      "the end of a grace period that this pass started",
      { trackers: [activeTracker("+1", "a")] },
      { nextDueAt: daysAgo(-30) },
    ],
    [
      "an immediate next pass if a freed number can serve an unserved source",
      { size: 1, trackers: [flaggedTracker("+1", "google", 30)], visits: { bing: 200 } },
      { unserved: [{ ...cpc("bing"), visits: 200 }], nextDueAt: NOW },
    ],
    [
      "no immediate next pass if the freed number is deleted",
      {
        size: 1,
        trackers: [flaggedTracker("+1", "google", 30), flaggedTracker("+2", "yahoo", 29)],
        visits: { bing: 200 },
      },
      { unserved: [{ ...cpc("bing"), visits: 200 }], nextDueAt: daysAgo(-1) },
    ],
    [
      "an immediate next pass if a manual pool must be filled after a deletion",
      { isManual: true, size: 1, trackers: [flaggedTracker("+1", undefined, 30)], visits: { bing: 200 } },
      { top: [], unserved: [], missing: 0, nextDueAt: NOW },
    ],
  ])("%s", (_, scenario, report) => {
    expect(pass(scenario)).toMatchObject(report);
  });
});

describe("in every history of a pool", () => {
  const numRuns = Number(process.env.PASS_HISTORIES ?? 1000);

  test("each pass follows the rules", { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(anyHistory(), (history) => {
        playHistory(history, (input, outcome) => {
          expectInvariants(input, outcome);
          expectNumbersKept(input, outcome);
          expect(replay(input, outcome.changes)).toEqual(outcome.trackers);
          expectSecondPass(input, outcome);
          expectNextDue(input, outcome);
        });
      }),
      { numRuns },
    );
  });
});

function expectInvariants({ pool, settings }: PassInput, { trackers, unserved, top }: PassOutcome): void {
  expectAllDiffer(trackers.map(({ trackingNumber }) => trackingNumber));
  const inUse = trackers.filter(({ status }) => status !== "available");
  const active = trackers.filter(({ status }) => status === "active");
  const retired = trackers.filter(({ retirement }) => retirement !== undefined);
  for (const { status, source, droppedAt } of trackers) {
    expect(droppedAt !== undefined).toBe(status === "flagged");
    expect(source !== undefined).toBe(!pool.isManual && status !== "available");
  }
  if (!pool.isManual) {
    expectAllDiffer(active.map(({ source }) => source && createSourceKey(source)));
    const kept = inUse.filter(({ retirement }) => retirement === undefined);
    expectAllDiffer(kept.map(({ source }) => source && createSourceKey(source)));
  }
  if (pool.isFrozen) return;
  expect(trackers.length).toBeLessThanOrEqual(Math.max(pool.size, inUse.length));
  for (const { status, retirement } of retired) {
    expect(retirement).toBe("gradual");
    expect(status === "flagged" || (pool.isManual && status === "active")).toBe(true);
  }
  if (pool.isManual) return;
  expect(active.length).toBeLessThanOrEqual(computeMaxActiveTrackers(pool, settings));
  expect(active.length + unserved.length).toBe(top.length);
}

/** Expects that each source keeps its number until the grace period ends, even if the pool shrinks. Numbers that are being retired are exempt. */
function expectNumbersKept({ trackers, pool, now, settings }: PassInput, outcome: PassOutcome): void {
  const after = new Map(outcome.trackers.map((tracker) => [tracker.trackingNumber, tracker]));
  const numberOf = new Map(
    outcome.trackers.flatMap(({ source, retirement, trackingNumber }) =>
      source && !retirement ? [[createSourceKey(source), trackingNumber]] : [],
    ),
  );
  for (const { source, trackingNumber, retirement } of trackers) {
    if (source && !retirement) expect(numberOf.get(createSourceKey(source)) ?? trackingNumber).toBe(trackingNumber);
  }
  for (const { trackingNumber, status, source, droppedAt, retirement } of trackers) {
    if (status === "available" || retirement === "immediate") continue;
    const isOver = droppedAt !== undefined && now.getTime() - droppedAt.getTime() >= settings.gracePeriodMs;
    if (!isOver) expect(after.get(trackingNumber)?.source).toEqual(source);
    if (!pool.isManual) expect(after.has(trackingNumber) || isOver).toBe(true);
    if (pool.isManual && !isOver) expect(after.get(trackingNumber)?.status).toBe(status);
  }
}

/** Applies the changes independently of `applyTrackerChanges`. */
function replay({ trackers, now }: PassInput, changes: readonly TrackerChange[]): readonly PassTracker[] {
  const result = [...trackers];
  for (const { kind, trackingNumber, source } of changes) {
    const i = result.findIndex((tracker) => tracker.trackingNumber === trackingNumber);
    const tracker = result[i] ?? availableTracker(trackingNumber);
    expect(tracker.status).toBe(STATUS_BEFORE[kind] ?? tracker.status);
    if (kind === "added") result.push({ ...tracker, availableSince: now });
    if (kind === "flagged") result[i] = { ...tracker, status: "flagged", droppedAt: now };
    if (kind === "unflagged") result[i] = { ...tracker, status: "active", droppedAt: undefined };
    if (kind === "activated") result[i] = { ...tracker, status: "active", source };
    if (kind === "deactivated") result[i] = { ...availableTracker(trackingNumber), availableSince: now };
    if (kind === "deleted") result.splice(i, 1);
    if (kind !== "activated" && kind !== "added") expect(source).toEqual(tracker.source);
  }
  return result;
}

const STATUS_BEFORE: { readonly [kind: string]: string } = {
  flagged: "active",
  unflagged: "flagged",
  activated: "available",
  deactivated: "flagged",
};

/**
 * A second pass fills vacancies after deletions and gives freed trackers to unserved sources, in activation order. A
 * third pass changes nothing.
 */
function expectSecondPass(input: PassInput, first: PassOutcome): void {
  const again = nextPassInput(input, first);
  const second = runPass(again);
  const lack = input.pool.isFrozen ? 0 : Math.max(0, input.pool.size - first.trackers.length);
  const added = again.inventory.slice(0, lack);
  const freed = first.trackers
    .filter(({ status, availableSince }) => status === "available" && availableSince.getTime() === input.now.getTime())
    .concat(added.map((number) => ({ ...availableTracker(number), availableSince: input.now })));
  const taken = input.pool.isFrozen ? [] : [...freed].sort(compareActivationOrder).slice(0, second.top.length);
  const sources = findUnservedSources(second.top, first.trackers);
  const activated = sources
    .slice(0, taken.length)
    .map(({ source }, i) => `activated ${taken[i]?.trackingNumber} ${source}`);
  expect(second.changes.map(changeText)).toEqual([...added.map((number) => `added ${number}`), ...activated]);
  expect(runPass(nextPassInput(again, second)).changes).toEqual([]);
}

/** Expects that nothing changes before `nextDueAt`. At `nextDueAt`, something must change, unless the inventory has no number to fill the pool. */
function expectNextDue(input: PassInput, outcome: PassOutcome): void {
  const next = nextPassInput(input, outcome);
  const { nextDueAt } = outcome;
  const end = nextDueAt ? nextDueAt.getTime() - 1 : input.now.getTime() + 100 * DAY_MS;
  if (end >= input.now.getTime()) expect(runPass({ ...next, now: new Date(end) }).changes).toEqual([]);
  if (!nextDueAt || (next.inventory.length === 0 && outcome.trackers.length < input.pool.size)) return;
  expect(runPass({ ...next, now: nextDueAt }).changes).not.toEqual([]);
}

function expectAllDiffer(values: readonly unknown[]): void {
  expect(new Set(values).size).toBe(values.length);
}

function changeText({ kind, trackingNumber, source }: TrackerChange): string {
  return source ? `${kind} ${trackingNumber} ${source.source}` : `${kind} ${trackingNumber}`;
}

/** A scenario in which no tracker may be active, although a source has enough visits. */
function zeroShare(scenario: Scenario): Scenario {
  return { ...scenario, utilization: 0, settings: { minimum: 0 }, visits: { google: 300 } };
}

/** The numbers of trackers that became available at the same time, in activation order. */
function byCodePoints(count: number): readonly string[] {
  return [...numbers(count)].sort();
}
