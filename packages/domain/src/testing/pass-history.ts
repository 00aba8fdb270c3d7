import fc from "fast-check";
import type { PassInput, PassPool } from "../pass-input.js";
import type { PassTracker, RetirementMode } from "../pass-tracker.js";
import type { PassOutcome } from "../run-pass.js";
import { DAY_MS } from "./pass-scenario.js";
import { runPass } from "./run-to-end.js";

/** The changes between two passes over a pool. A field that is undefined changes nothing. */
interface HistoryStep {
  readonly passedMs: number;
  readonly size: number | undefined;
  readonly utilization: number | undefined;
  /** The number of visits from each source in `SOURCES`. */
  readonly visits: readonly number[] | undefined;
  /** Indexes of the numbers added to the inventory. */
  readonly restock: readonly number[];
  readonly changesAreaCode: boolean;
  /** Index of the tracker that a person activates or flags, in a manual pool. */
  readonly touched: number;
  /** Index of the tracker whose number is retired, and how the number is retired. */
  readonly retired: { readonly index: number; readonly retirement: RetirementMode } | undefined;
  /** Whether the account changes from enabled to disabled or back. */
  readonly switchesAccount: boolean;
}

/** The initial state of a pool, and the steps after it. */
export interface PassHistory {
  readonly start: PassInput;
  readonly steps: readonly HistoryStep[];
}

/** Generates histories of small pools in which ties, thresholds, inventories with few numbers and ends of grace periods often coincide. */
export function anyHistory(isManual: fc.Arbitrary<boolean> = fc.boolean()): fc.Arbitrary<PassHistory> {
  return fc.record({
    start: anyStart(isManual),
    steps: fc.array(anyStep, { minLength: 1, maxLength: 25, size: "max" }),
  });
}

/** Generates the input of a pass after some history of the pool. */
export function anyPassInput(isManual?: fc.Arbitrary<boolean>): fc.Arbitrary<PassInput> {
  return anyHistory(isManual).map((history) => {
    let last = history.start;
    playHistory(history, (input) => {
      last = input;
    });
    return last;
  });
}

/** Runs a pass after each step and calls `check` with its input and outcome. */
export function playHistory(history: PassHistory, check: (input: PassInput, outcome: PassOutcome) => void): void {
  let state = history.start;
  for (const step of history.steps) {
    const input = afterStep(state, step);
    const outcome = runPass(input);
    check(input, outcome);
    state = nextPassInput(input, outcome);
  }
}

/** Returns the input of the next pass if nothing else happens. The numbers of deleted trackers go to the end of the inventory unless retired. */
export function nextPassInput(input: PassInput, { trackers, changes }: PassOutcome): PassInput {
  const held = new Set(trackers.map(({ trackingNumber }) => trackingNumber));
  const retired = new Set(input.trackers.flatMap((each) => (each.retirement ? each.trackingNumber : [])));
  const returned = changes
    .filter(({ kind, trackingNumber }) => kind === "deleted" && !retired.has(trackingNumber))
    .map(({ trackingNumber }) => trackingNumber);
  const inventory = [...input.inventory.filter((number) => !held.has(number)), ...returned];
  return { ...input, trackers, inventory };
}

const SOURCES = ["google / cpc", "bing / cpc", "bing / organic", "news / email", "\u{1F4DE} / \uffff", " / "].map(
  (text) => {
    const [source = "", medium = ""] = text.split(" / ");
    return { source, medium };
  },
);

const GRACE_PERIOD_MS = 30 * DAY_MS;
const utilization = fc.oneof(fc.constantFrom(0, 0.29, 0.58, 1, 1, 1), fc.double({ min: 0, max: 1, noNaN: true }));
const size = fc.integer({ min: 1, max: 8 });
const visits = fc.array(fc.constantFrom(0, 1, 2, 3, 3, 4, 9), {
  minLength: SOURCES.length,
  maxLength: SOURCES.length,
});
const days = fc.constantFrom(0, 1, 10, 15, 40).map((count) => count * DAY_MS);
const aroundGracePeriods = fc.constantFrom(1, GRACE_PERIOD_MS - 1, GRACE_PERIOD_MS);
const clockJumps = fc.constantFrom(-1, -DAY_MS, -40 * DAY_MS);
const passedMs = fc.oneof(
  { arbitrary: days, weight: 6 },
  { arbitrary: aroundGracePeriods, weight: 3 },
  { arbitrary: clockJumps, weight: 1 },
);
const seldomTrue = seldom(fc.constant(true)).map((each) => each ?? false);

const anyStep: fc.Arbitrary<HistoryStep> = fc.record({
  passedMs,
  size: seldom(size),
  utilization: seldom(utilization),
  visits: fc.option(visits, { nil: undefined }),
  restock: fc.array(fc.nat(15), { maxLength: 2 }),
  changesAreaCode: seldomTrue,
  touched: fc.nat(15),
  retired: seldom(
    fc.record({ index: fc.nat(7), retirement: fc.constantFrom("gradual" as const, "immediate" as const) }),
  ),
  switchesAccount: seldomTrue,
});

function seldom<T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ arbitrary: fc.constant(undefined), weight: 7 }, { arbitrary: values, weight: 1 });
}

function anyStart(isManual: fc.Arbitrary<boolean>): fc.Arbitrary<PassInput> {
  return fc
    .record({ isManual, size, utilization, minimum: fc.integer({ min: 0, max: 3 }), count: fc.nat(12), visits })
    .map(({ minimum, count, visits, ...pool }) => ({
      pool: { ...pool, isFrozen: false, utilization: pool.isManual ? undefined : pool.utilization },
      trackers: [],
      sources: sourcesOf(visits),
      inventory: Array.from({ length: count }, (_, i) => `+1-${i}`),
      now: new Date("2026-03-01T12:00:00Z"),
      settings: { minimum, visitThreshold: 1, gracePeriodMs: GRACE_PERIOD_MS },
    }));
}

function sourcesOf(counts: readonly number[]): PassInput["sources"] {
  return SOURCES.flatMap((source, i) => {
    const visits = counts[i] ?? 0;
    return visits === 0 ? [] : [{ ...source, visits }];
  });
}

function afterStep(state: PassInput, step: HistoryStep): PassInput {
  const now = new Date(state.now.getTime() + step.passedMs);
  const pool: PassPool = {
    ...state.pool,
    isFrozen: state.pool.isFrozen !== step.switchesAccount,
    size: step.size ?? state.pool.size,
    utilization: state.pool.isManual ? undefined : (step.utilization ?? state.pool.utilization),
  };
  const touched = state.pool.isManual && !pool.isFrozen ? touch(state.trackers, step.touched, now) : state.trackers;
  const trackers = retire(touched, step.retired);
  const sources = step.visits ? sourcesOf(step.visits) : state.sources;
  return { ...state, pool, trackers, sources, now, inventory: restocked(state, step) };
}

/** Simulates a person: flags the tracker if it is active. Otherwise, activates the tracker unless its number is being retired. */
function touch(trackers: readonly PassTracker[], index: number, now: Date): readonly PassTracker[] {
  return trackers.map((tracker, i) => {
    if (i !== index || (tracker.retirement && tracker.status !== "active")) return tracker;
    return tracker.status === "active"
      ? { ...tracker, status: "flagged", droppedAt: now }
      : { ...tracker, status: "active", droppedAt: undefined };
  });
}

/** Retires a number. An immediate retirement stays immediate. */
function retire(trackers: readonly PassTracker[], retired: HistoryStep["retired"]): readonly PassTracker[] {
  return trackers.map((tracker, i) => {
    if (i !== retired?.index || tracker.retirement === "immediate") return tracker;
    return { ...tracker, retirement: retired.retirement };
  });
}

function restocked({ inventory, trackers }: PassInput, { restock, changesAreaCode }: HistoryStep): readonly string[] {
  const kept = changesAreaCode ? [] : inventory;
  const areaCode = changesAreaCode || inventory[0]?.startsWith("+2") ? 2 : 1;
  const taken = new Set(trackers.map(({ trackingNumber }) => trackingNumber));
  return [...new Set([...kept, ...restock.map((each) => `+${areaCode}-${each}`)])].filter((each) => !taken.has(each));
}
