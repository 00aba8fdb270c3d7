import { createNumberSupply, type NumberSupply, type SuppliedNumber } from "./number-supply.js";
import { createPassContext, type PassContext } from "./pass-context.js";
import { countVacancies, type PassInput } from "./pass-input.js";
import { type PassOutcome, runSteps } from "./pass-outcome.js";
import { findUnserved } from "./pass-steps.js";
import type { PassTracker } from "./pass-tracker.js";
import { sourceKey } from "./source-medium.js";
import type { RankedSource } from "./source-ranking.js";
import type { TrackerChange } from "./tracker-change.js";
import { createWaitingTrackers, type WaitingTrackers } from "./waiting-trackers.js";

/** The input of a forecast, which assumes constant visits and no other pool that takes or returns numbers. */
export interface PoolState extends Omit<PassInput, "inventory"> {
  readonly areaCode: string;
  /** The area code of each tracker's number. A number returns to the inventory of its area code. */
  readonly trackerAreaCodes: ReadonlyMap<string, string>;
  /** The free and resting numbers of the pool's area code, as `createNumberSupply` takes them. */
  readonly supply: readonly SuppliedNumber[];
  /** How long a number rests after its tracker was deleted. */
  readonly numberRestMs: number;
}

/** A future change of a call tracker. */
export interface DatedChange extends TrackerChange {
  readonly at: Date;
}

/** The future changes of a pool. */
export interface PoolForecast {
  /** In the order in which they happen. */
  readonly changes: readonly DatedChange[];
  /** The top sources without a tracker at the end, best first. */
  readonly unserved: readonly RankedSource[];
  /** How many numbers the inventory lacks at the end. */
  readonly missing: number;
}

/** Forecasts what passes do from `state.now` until the given time, inclusive. Yields like `runPass`. */
export function* forecastPool(state: PoolState, until: Date): Generator<void, PoolForecast> {
  const simulation = new PoolSimulation(state);
  yield;
  let next = yield* simulation.runFirst();
  while (next !== undefined && next <= until) next = yield* simulation.runNext(next);
  return simulation;
}

/** Simulates the passes over a pool, one each time that the passage of time alone causes a change. */
class PoolSimulation implements PoolForecast {
  readonly changes: DatedChange[] = [];
  missing = 0;
  readonly #state: PoolState;
  readonly #supply: NumberSupply;
  readonly #trackers: Map<string, PassTracker>;
  #waiting: WaitingTrackers;
  #context: PassContext;
  /** By `sourceKey`, best first. */
  #unserved: Map<string, RankedSource> = new Map();

  constructor(state: PoolState) {
    this.#state = state;
    this.#supply = createNumberSupply(state.supply);
    this.#trackers = new Map(state.trackers.map((tracker) => [tracker.trackingNumber, tracker]));
    this.#waiting = createWaitingTrackers([], state.settings.gracePeriodMs);
    this.#context = createPassContext({ ...state, inventory: [] });
  }

  get unserved(): readonly RankedSource[] {
    return [...this.#unserved.values()];
  }

  /** Runs a pass at the current time. Returns the time of the next pass, or undefined if there is none. */
  *runFirst(): Generator<void, Date | undefined> {
    const { now, pool, settings, trackers } = this.#state;
    const inventory = this.#supply.free(now, countVacancies(pool, trackers));
    const outcome = yield* runSteps({ ...this.#context, inventory }, trackers);
    this.#waiting = createWaitingTrackers(outcome.trackers, settings.gracePeriodMs);
    this.#unserved = byKey(outcome.unserved);
    return this.#record(outcome, now);
  }

  /**
   * Runs a pass at a later time. Returns the time of the next pass, or undefined if there is none.
   *
   * The pass sees only the trackers and sources that can change. Even thousands of grace periods that end at different
   * times therefore cost little more than their changes.
   */
  *runNext(now: Date): Generator<void, Date | undefined> {
    const due = this.#waiting.take(now.getTime(), this.#unserved.size > 0);
    const { pool, ranking } = this.#context;
    const idle = { count: this.#trackers.size - due.length, gracePeriodEnd: this.#waiting.gracePeriodEnd() };
    const inventory = this.#supply.free(now, countVacancies({ ...pool, size: pool.size - idle.count }, due));
    // A served source stays served while visits do not change. One source more than there can be trackers shows that
    // some are unserved.
    const top = takeFirst(this.#unserved.values(), due.length + inventory.length + 1);
    const outcome = yield* runSteps({ ...this.#context, now, idle, inventory, ranking: { ...ranking, top } }, due);
    this.#waiting.add(outcome.trackers);
    for (const { kind, source } of outcome.changes) {
      if (kind === "activated" && source) this.#unserved.delete(sourceKey(source));
    }
    return this.#record(outcome, now);
  }

  /** Records the result of a pass, and returns the time of the next one. */
  #record({ changes, trackers, missing, nextDueAt }: PassOutcome, now: Date): Date | undefined {
    for (const tracker of trackers) this.#trackers.set(tracker.trackingNumber, tracker);
    for (const { kind, trackingNumber, source, reason } of changes) {
      this.changes.push({ kind, trackingNumber, source, reason, at: now });
      if (kind === "added") this.#supply.take();
      if (kind === "deleted") this.#delete(trackingNumber, now);
    }
    if (changes.some(({ kind, source }) => kind === "deleted" && source && this.#unserved.has(sourceKey(source))))
      this.#updateRanking();
    this.missing = missing;
    const restedAt = missing > 0 ? this.#supply.nextFreeAfter(now) : undefined;
    return restedAt === undefined || (nextDueAt !== undefined && nextDueAt < restedAt) ? nextDueAt : restedAt;
  }

  #delete(trackingNumber: string, now: Date): void {
    const { areaCode, trackerAreaCodes, numberRestMs } = this.#state;
    const isRetired = this.#trackers.get(trackingNumber)?.retirement !== undefined;
    this.#trackers.delete(trackingNumber);
    if (isRetired || (trackerAreaCodes.get(trackingNumber) ?? areaCode) !== areaCode) return;
    this.#supply.add({ trackingNumber, freeFrom: new Date(now.getTime() + numberRestMs) });
  }

  /** Ranks the sources again: an unserved source that loses a retiring tracker loses its advantage in a tie. */
  #updateRanking(): void {
    const trackers = [...this.#trackers.values()];
    this.#context = createPassContext({ ...this.#state, trackers, inventory: [] });
    this.#unserved = byKey(findUnserved(this.#context.ranking.top, trackers));
  }
}

function byKey(sources: readonly RankedSource[]): Map<string, RankedSource> {
  return new Map(sources.map((source) => [sourceKey(source), source]));
}

/** Returns the first `count` values, or fewer. */
function takeFirst<T>(values: Iterable<T>, count: number): readonly T[] {
  const found: T[] = [];
  for (const value of values) {
    if (found.length === count) break;
    found.push(value);
  }
  return found;
}
