import { createNumberSupply, type NumberSupply, type SuppliedNumber } from "./number-supply.js";
import { createPassContext, type PassContext } from "./pass-context.js";
import { countVacancies, type PassInput } from "./pass-input.js";
import { type PassOutcome, takeSteps } from "./pass-outcome.js";
import { findUnserved } from "./pass-steps.js";
import type { PassTracker } from "./pass-tracker.js";
import { sourceKey } from "./source-medium.js";
import type { RankedSource } from "./source-ranking.js";
import type { TrackerChange } from "./tracker-change.js";
import { createWaitingTrackers, type WaitingTrackers } from "./waiting-trackers.js";

/** What the passes over a pool depend on from now on, if visits stay as they are and no other pool takes or returns numbers. */
export interface PoolState extends Omit<PassInput, "inventory"> {
  readonly areaCode: string;
  /** The area code of each tracker's number, to which the number returns. */
  readonly trackerAreaCodes: ReadonlyMap<string, string>;
  /** The free numbers of the pool's area code, as `createNumberSupply` takes them. */
  readonly supply: readonly SuppliedNumber[];
  /** How long a number that a deleted tracker returns is resting. */
  readonly numberRestMs: number;
}

/** A change of a tracker that is to come. */
export interface DatedChange extends TrackerChange {
  readonly at: Date;
}

/** What the passes over a pool are going to do. */
export interface PoolForecast {
  /** In the order in which they happen. */
  readonly changes: readonly DatedChange[];
  /** The best sources that have no tracker in the end, best first. */
  readonly unserved: readonly RankedSource[];
  /** How many numbers the inventory lacks in the end. */
  readonly missing: number;
}

/** What a pass now and all later ones up to a moment do, that moment included. */
export function forecastPool(state: PoolState, until: Date): PoolForecast {
  const course = new PoolCourse(state);
  let next = course.firstPass();
  while (next !== undefined && next <= until) next = course.laterPass(next);
  return course;
}

/** A pool whose passes go on, one at each moment at which the passage of time alone makes a change. */
class PoolCourse implements PoolForecast {
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
    this.#waiting = createWaitingTrackers([], state.settings.timelineMs);
    this.#context = createPassContext({ ...state, inventory: [] });
  }

  get unserved(): readonly RankedSource[] {
    return [...this.#unserved.values()];
  }

  /** Makes the pass of the present moment; like `laterPass`, gives the moment of the next one, or undefined if there is none. */
  firstPass(): Date | undefined {
    const { now, pool, settings, trackers } = this.#state;
    const inventory = this.#supply.free(now, countVacancies(pool, trackers));
    const outcome = takeSteps({ ...this.#context, inventory }, trackers);
    this.#waiting = createWaitingTrackers(outcome.trackers, settings.timelineMs);
    this.#unserved = byKey(outcome.unserved);
    return this.#keep(outcome, now);
  }

  /**
   * Makes the pass of a later moment. Most trackers and sources can't be part of it, so it is given those that can: thousands of
   * timelines that end at moments of their own cost little more than their changes.
   */
  laterPass(now: Date): Date | undefined {
    const due = this.#waiting.take(now.getTime(), this.#unserved.size > 0);
    const { pool, ranking } = this.#context;
    const idle = { count: this.#trackers.size - due.length, timelineEnd: this.#waiting.timelineEnd() };
    const inventory = this.#supply.free(now, countVacancies({ ...pool, size: pool.size - idle.count }, due));
    // A source that is served stays so while the visits stay. One more than there can be trackers for tells that not all are.
    const top = firstOf(this.#unserved.values(), due.length + inventory.length + 1);
    const outcome = takeSteps({ ...this.#context, now, idle, inventory, ranking: { ...ranking, top } }, due);
    this.#waiting.add(outcome.trackers);
    for (const { kind, source } of outcome.changes) {
      if (kind === "activated" && source) this.#unserved.delete(sourceKey(source));
    }
    return this.#keep(outcome, now);
  }

  /** Keeps what a pass did, and gives the moment of the next one. */
  #keep({ changes, trackers, missing, nextDueAt }: PassOutcome, now: Date): Date | undefined {
    for (const tracker of trackers) this.#trackers.set(tracker.trackingNumber, tracker);
    for (const change of changes) {
      this.changes.push({ ...change, at: now });
      if (change.kind === "added") this.#supply.take();
      if (change.kind === "deleted") this.#delete(change.trackingNumber, now);
    }
    if (changes.some(({ kind, source }) => kind === "deleted" && source && this.#unserved.has(sourceKey(source))))
      this.#rankAnew();
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

  /** A source that is not served and loses a tracker that was being retired, loses its advantage in a tie. */
  #rankAnew(): void {
    const trackers = [...this.#trackers.values()];
    this.#context = createPassContext({ ...this.#state, trackers, inventory: [] });
    this.#unserved = byKey(findUnserved(this.#context.ranking.top, trackers));
  }
}

function byKey(sources: readonly RankedSource[]): Map<string, RankedSource> {
  return new Map(sources.map((source) => [sourceKey(source), source]));
}

/** The first values, at most `count`. */
function firstOf<T>(values: Iterable<T>, count: number): readonly T[] {
  const found: T[] = [];
  for (const value of values) {
    if (found.length === count) break;
    found.push(value);
  }
  return found;
}
