import { createInactiveTrackers, type InactiveTrackers } from "./inactive-trackers.js";
import { createNumberSupply, type NumberSupply, type SuppliedNumber } from "./number-supply.js";
import { createPassContext, type PassContext } from "./pass-context.js";
import { countNeededNumbers, type PassInput } from "./pass-input.js";
import { type PassOutcome, runPassSteps } from "./pass-outcome.js";
import { findUnservedSources } from "./pass-steps.js";
import type { PassTracker } from "./pass-tracker.js";
import { createSourceKey } from "./source-medium.js";
import type { RankedSource } from "./source-ranking.js";
import type { TrackerChange } from "./tracker-change.js";

/** The state from which a forecast starts. A forecast assumes that visits stay the same, and that no other pool takes or returns numbers. */
export interface PoolState extends Omit<PassInput, "inventory"> {
  readonly areaCode: string;
  /**
   * The area code of each tracker's number, keyed by the number. A number with another area code than the pool's cannot return to the pool after its
   * tracker is deleted.
   */
  readonly trackerAreaCodes: ReadonlyMap<string, string>;
  /** The free and resting numbers with the pool's area code, for `createNumberSupply`. */
  readonly supply: readonly SuppliedNumber[];
  /** How long a number rests after its tracker was deleted. */
  readonly numberRestMs: number;
}

export interface DatedTrackerChange extends TrackerChange {
  readonly at: Date;
}

export interface PoolForecast {
  /** The changes to trackers, in chronological order. */
  readonly changes: readonly DatedTrackerChange[];
  /** The sources that should have an active tracker but have none at the end of the forecast, best first. */
  readonly unserved: readonly RankedSource[];
  /** How many more free numbers are needed to fill the pool at the end of the forecast. */
  readonly missing: number;
}

/** Forecasts the changes that passes make from `state.now` until the given time, inclusive. Yields between short parts, as `runPass` does. */
export function* forecastPool(state: PoolState, until: Date): Generator<void, PoolForecast> {
  const simulation = new PoolSimulation(state);
  yield;
  let next = yield* simulation.runFirst();
  while (next !== undefined && next <= until) next = yield* simulation.runNext(next);
  return simulation;
}

/** Simulates passes over a pool: one pass at each time at which a pass changes something, if visits stay the same. */
class PoolSimulation implements PoolForecast {
  readonly changes: DatedTrackerChange[] = [];
  missing = 0;
  readonly #state: PoolState;
  readonly #supply: NumberSupply;
  readonly #trackers: Map<string, PassTracker>;
  #waiting: InactiveTrackers;
  #context: PassContext;
  /** The sources that should have an active tracker but have none, keyed by `createSourceKey`, best first. */
  #unserved: Map<string, RankedSource> = new Map();

  constructor(state: PoolState) {
    this.#state = state;
    this.#supply = createNumberSupply(state.supply);
    this.#trackers = new Map(state.trackers.map((tracker) => [tracker.trackingNumber, tracker]));
    this.#waiting = createInactiveTrackers([], state.settings.gracePeriodMs);
    this.#context = createPassContext({ ...state, inventory: [] });
  }

  get unserved(): readonly RankedSource[] {
    return [...this.#unserved.values()];
  }

  /** Runs the pass at the start of the forecast. Returns the time of the next pass; undefined if no further pass changes anything. */
  *runFirst(): Generator<void, Date | undefined> {
    const { now, pool, settings, trackers } = this.#state;
    const inventory = this.#supply.free(now, countNeededNumbers(pool, trackers));
    const outcome = yield* runPassSteps({ ...this.#context, inventory }, trackers);
    this.#waiting = createInactiveTrackers(outcome.trackers, settings.gracePeriodMs);
    this.#unserved = byKey(outcome.unserved);
    return this.#record(outcome, now);
  }

  /**
   * Runs a later pass. Returns the time of the next pass; undefined if no further pass changes anything.
   *
   * The pass gets only the trackers and sources that can change. Otherwise, thousands of grace periods with different ends would cost thousands of
   * passes over the whole pool.
   */
  *runNext(now: Date): Generator<void, Date | undefined> {
    const due = this.#waiting.take(now.getTime(), this.#unserved.size > 0);
    const { pool, ranking } = this.#context;
    const idle = { count: this.#trackers.size - due.length, gracePeriodEnd: this.#waiting.gracePeriodEnd() };
    const inventory = this.#supply.free(now, countNeededNumbers({ ...pool, size: pool.size - idle.count }, due));
    // Sources that have a tracker keep it, because visits do not change. One source more than the pass can serve is enough to report that sources
    // remain unserved.
    const top = takeFirst(this.#unserved.values(), due.length + inventory.length + 1);
    const outcome = yield* runPassSteps({ ...this.#context, now, idle, inventory, ranking: { ...ranking, top } }, due);
    this.#waiting.add(outcome.trackers);
    for (const { kind, source } of outcome.changes) {
      if (kind === "activated" && source) this.#unserved.delete(createSourceKey(source));
    }
    return this.#record(outcome, now);
  }

  /** Records the result of a pass. Returns the time of the next pass; undefined if no further pass changes anything. */
  #record({ changes, trackers, missing, nextDueAt }: PassOutcome, now: Date): Date | undefined {
    for (const tracker of trackers) this.#trackers.set(tracker.trackingNumber, tracker);
    for (const { kind, trackingNumber, source, reason } of changes) {
      this.changes.push({ kind, trackingNumber, source, reason, at: now });
      if (kind === "added") this.#supply.take();
      if (kind === "deleted") this.#delete(trackingNumber, now);
    }
    if (changes.some(({ kind, source }) => kind === "deleted" && source && this.#unserved.has(createSourceKey(source))))
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

  /** Ranks the sources again. An unserved source that loses a tracker whose number is being retired also loses its precedence in a tie. */
  #updateRanking(): void {
    const trackers = [...this.#trackers.values()];
    this.#context = createPassContext({ ...this.#state, trackers, inventory: [] });
    this.#unserved = byKey(findUnservedSources(this.#context.ranking.top, trackers));
  }
}

function byKey(sources: readonly RankedSource[]): Map<string, RankedSource> {
  return new Map(sources.map((source) => [createSourceKey(source), source]));
}

function takeFirst<T>(values: Iterable<T>, count: number): readonly T[] {
  const found: T[] = [];
  for (const value of values) {
    if (found.length === count) break;
    found.push(value);
  }
  return found;
}
