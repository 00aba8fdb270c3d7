import type { PassContext } from "./pass-context.js";
import type { PassInput } from "./pass-input.js";
import type { PassOutcome } from "./pass-outcome.js";
import { compareActivationOrder, findGracePeriodEnd, type PassTracker } from "./pass-tracker.js";
import { compareSources, createSourceKey } from "./source-medium.js";
import type { RankedSource } from "./source-ranking.js";
import { formatRank, formatRankShortfall, isTopSource } from "./source-standing.js";

/** The state of a source: its rank, its tracker, and the reason why the source is served or not. */
export interface SourceExplanation extends RankedSource {
  /** The rank of the source: 1 for the best source; undefined for a source without visits. */
  readonly rank: number | undefined;
  /** The active tracker of the source or, if there is none, a flagged tracker that still tracks calls. Undefined if the source has no tracker. */
  readonly tracker: PassTracker | undefined;
  /** Whether the source is served, which means that `tracker` is active. */
  readonly isServed: boolean;
  /** Why the source is served or not, as human-readable text, such as `rank 6 of 5`. */
  readonly reason: string;
}

/** Maximum number of sources without a tracker that an explanation contains. */
const MAX_OTHER_SOURCES = 1000;

/**
 * Explains the sources of a pool, in the order of `PoolExplanation.sources`. Yields between short parts, as `runPass` does.
 *
 * @param context the context of a pass over an automanaged pool.
 * @param outcome the result of the pass with that context.
 */
export function* explainSources(
  input: PassInput,
  context: PassContext,
  outcome: PassOutcome,
): Generator<void, readonly SourceExplanation[]> {
  const holders = holdersOf(input.trackers);
  const reasonOf = input.pool.isFrozen ? frozenReasons(context) : passReasons(context, outcome);
  const explain = (
    { source, medium, visits }: RankedSource,
    rank: number | undefined,
    tracker: PassTracker | undefined,
  ): SourceExplanation => {
    const reason = reasonOf({ source, medium, visits, rank, tracker });
    return { source, medium, visits, rank, tracker, isServed: tracker?.status === "active", reason };
  };
  yield;
  const { order, ranks } = context.ranking;
  const explained: SourceExplanation[] = [];
  let others = 0;
  order.forEach((ranked, i) => {
    const tracker = holders.get(createSourceKey(ranked));
    if (tracker !== undefined || ++others <= MAX_OTHER_SOURCES) explained.push(explain(ranked, i + 1, tracker));
  });
  yield;
  const withoutVisits = [...holders].flatMap(([key, tracker]) => {
    return tracker.source && !ranks.has(key) ? { source: tracker.source, tracker } : [];
  });
  withoutVisits.sort((one, other) => compareSources(one.source, other.source));
  for (const { source, tracker } of withoutVisits)
    explained.push(explain({ ...source, visits: 0 }, undefined, tracker));
  return explained;
}

type ReasonOf = (explained: Omit<SourceExplanation, "isServed" | "reason">) => string;

/** Creates the function that explains the sources of a frozen pool, which no pass changes. */
function frozenReasons({ maxActive, settings }: PassContext): ReasonOf {
  return (explained) => {
    const { tracker } = explained;
    const isTop = isTopSource(explained, maxActive, settings.visitThreshold);
    // For a source that ranks high enough for a tracker, the text contains only the rank, such as `rank 2 of 5`.
    const standing = formatRankShortfall(explained, maxActive, settings.visitThreshold);
    if (tracker === undefined) return isTop ? `${standing}: the source gets no number, ${FROZEN}` : standing;
    return isTop && tracker.status === "active"
      ? `the source holds ${tracker.trackingNumber} with ${standing}`
      : `${standing}: the source keeps ${tracker.trackingNumber}, ${FROZEN}`;
  };
}

const FROZEN = "because the account is disabled";

/** Creates the function that explains the sources of a pool. The explanation is based on the outcome of the next pass. */
function passReasons({ maxActive, pool, settings }: PassContext, outcome: PassOutcome): ReasonOf {
  const after = new Map(outcome.trackers.map((tracker) => [tracker.trackingNumber, tracker]));
  const holders = holdersOf(outcome.trackers);
  const unserved = unservedReasons(pool.size, outcome);
  return (explained) => {
    const { tracker } = explained;
    const key = createSourceKey(explained);
    const holder = holders.get(key);
    if (holder?.status === "active") return servedReason(tracker, holder, formatRank(explained.rank ?? 0, maxActive));
    const want = unserved.get(key);
    const lack = want ?? formatRankShortfall(explained, maxActive, settings.visitThreshold);
    if (tracker === undefined) return lack;
    const loss = lossText(tracker, after.get(tracker.trackingNumber), settings.gracePeriodMs);
    return `${lack}${want === undefined ? ":" : ";"} ${loss}`;
  };
}

/**
 * @param before the tracker of the source before the pass; undefined if the source had none.
 * @param after the tracker of the source after the pass.
 */
function servedReason(before: PassTracker | undefined, after: PassTracker, rank: string): string {
  if (before?.trackingNumber === after.trackingNumber) {
    return before.status === "active"
      ? `the source holds ${after.trackingNumber} with ${rank}`
      : `the source gets ${after.trackingNumber} back in the next pass`;
  }
  const retiring = before === undefined ? "" : `${before.trackingNumber} is being retired: `;
  return `${retiring}the source gets ${after.trackingNumber} in the next pass`;
}

function lossText({ trackingNumber }: PassTracker, after: PassTracker | undefined, gracePeriodMs: number): string {
  const end = after && findGracePeriodEnd(after, gracePeriodMs);
  return end === undefined
    ? `the source loses ${trackingNumber} in the next pass`
    : `the source keeps ${trackingNumber} until ${new Date(end).toISOString()}`;
}

/** Returns the reason why each unserved source has no active tracker after a pass, keyed by `createSourceKey`. */
function unservedReasons(size: number, { trackers, unserved, missing }: PassOutcome): ReadonlyMap<string, string> {
  const freed = trackers.filter(({ status }) => status === "available").sort(compareActivationOrder);
  const noneLeft =
    missing > 0
      ? `no number is left: the inventory lacks ${missing} of the pool's ${size} numbers`
      : `no number is left: the pool holds ${trackers.length} of ${size} call trackers`;
  return new Map(
    unserved.map((source, i) => {
      const next = freed[i];
      return [createSourceKey(source), next ? `the source gets ${next.trackingNumber} in the next pass` : noneLeft];
    }),
  );
}

/**
 * Returns the tracker of each source, keyed by `createSourceKey`. If a source has several trackers, an active tracker takes precedence, then one
 * whose number is not being retired.
 */
function holdersOf(trackers: readonly PassTracker[]): ReadonlyMap<string, PassTracker> {
  const holders = new Map<string, PassTracker>();
  for (const tracker of trackers) {
    if (!tracker.source) continue;
    const key = createSourceKey(tracker.source);
    const known = holders.get(key);
    if (known === undefined || holderPriority(tracker) > holderPriority(known)) holders.set(key, tracker);
  }
  return holders;
}

function holderPriority({ status, retirement }: PassTracker): number {
  return (status === "active" ? 2 : 0) + (retirement === undefined ? 1 : 0);
}
