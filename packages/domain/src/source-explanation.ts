import type { PassContext } from "./pass-context.js";
import type { PassInput } from "./pass-input.js";
import type { PassOutcome } from "./pass-outcome.js";
import { compareAvailability, type PassTracker, timelineEnd } from "./pass-tracker.js";
import { compareSources, type SourceMedium, sourceKey } from "./source-medium.js";
import type { RankedSource } from "./source-ranking.js";
import { lackText, rankText } from "./source-standing.js";

/** What one source has now, and what becomes of it. */
export interface SourceExplanation extends RankedSource {
  /** The best is 1; undefined for a source that has no visits. */
  readonly rank: number | undefined;
  /** The tracker that serves it, else one that still tracks its calls; undefined if it holds none. */
  readonly tracker: PassTracker | undefined;
  /** Whether that tracker is active. */
  readonly isServed: boolean;
  /** In words, for a person: `rank 6 of 5`. */
  readonly reason: string;
}

/**
 * Every source with visits, best first, then those that have none and hold a tracker.
 *
 * @param context of a pass over an automanaged pool.
 * @param outcome what the pass would do; nothing if the pool is frozen.
 */
export function explainSources(
  input: PassInput,
  context: PassContext,
  outcome: PassOutcome,
): readonly SourceExplanation[] {
  const holders = holdersOf(input.trackers);
  const reasonOf = input.pool.isFrozen ? frozenReasons(context) : passReasons(context, outcome);
  const explain = (ranked: RankedSource, rank: number | undefined): SourceExplanation => {
    const tracker = holders.get(sourceKey(ranked));
    const { source, medium, visits } = ranked;
    const reason = reasonOf({ source, medium, visits, rank, tracker });
    return { source, medium, visits, rank, tracker, isServed: tracker?.status === "active", reason };
  };
  return [
    ...context.ranking.order.map((ranked, i) => explain(ranked, i + 1)),
    ...withoutVisits(input).map((source) => explain({ ...source, visits: 0 }, undefined)),
  ];
}

type ReasonOf = (explained: Omit<SourceExplanation, "isServed" | "reason">) => string;

/** The reasons in a pool that no pass changes. */
function frozenReasons({ atMost, topRanks, settings }: PassContext): ReasonOf {
  return (explained) => {
    const rank = topRanks.get(sourceKey(explained));
    const { tracker } = explained;
    const standing = rank === undefined ? lackText(explained, atMost, settings.visitThreshold) : rankText(rank, atMost);
    if (tracker === undefined) return rank === undefined ? standing : `${standing}: gets no number, ${FROZEN}`;
    return rank !== undefined && tracker.status === "active"
      ? `holds ${tracker.trackingNumber} with ${standing}`
      : `${standing}: keeps ${tracker.trackingNumber}, ${FROZEN}`;
  };
}

const FROZEN = "as the account is disabled";

/** The reasons in a pool to which a pass would do what the outcome tells. */
function passReasons({ atMost, pool, settings }: PassContext, outcome: PassOutcome): ReasonOf {
  const after = new Map(outcome.trackers.map((tracker) => [tracker.trackingNumber, tracker]));
  const holders = holdersOf(outcome.trackers);
  const unserved = unservedReasons(pool.size, outcome);
  return (explained) => {
    const { tracker } = explained;
    const key = sourceKey(explained);
    const holder = holders.get(key);
    if (holder?.status === "active") return servedReason(tracker, holder, rankText(explained.rank ?? 0, atMost));
    const want = unserved.get(key);
    const lack = want ?? lackText(explained, atMost, settings.visitThreshold);
    if (tracker === undefined) return lack;
    const fate = fateText(tracker, after.get(tracker.trackingNumber), settings.timelineMs);
    return `${lack}${want === undefined ? ":" : ";"} ${fate}`;
  };
}

/** @param before what the source holds, if it holds a tracker; `after` is what it will. */
function servedReason(before: PassTracker | undefined, after: PassTracker, rank: string): string {
  if (before?.trackingNumber === after.trackingNumber) {
    return before.status === "active"
      ? `holds ${after.trackingNumber} with ${rank}`
      : `gets ${after.trackingNumber} back in the next pass`;
  }
  const retiring = before === undefined ? "" : `${before.trackingNumber} is being retired: `;
  return `${retiring}gets ${after.trackingNumber} in the next pass`;
}

function fateText({ trackingNumber }: PassTracker, after: PassTracker | undefined, timelineMs: number): string {
  const end = after && timelineEnd(after, timelineMs);
  return end === undefined
    ? `loses ${trackingNumber} in the next pass`
    : `keeps ${trackingNumber} until ${new Date(end).toISOString()}`;
}

/** Why the sources of the top that get no tracker in a pass get none, by `sourceKey`. */
function unservedReasons(size: number, { trackers, unserved, missing }: PassOutcome): ReadonlyMap<string, string> {
  const freed = trackers.filter(({ status }) => status === "available").sort(compareAvailability);
  const noneLeft =
    missing > 0
      ? `no number left: the inventory lacks ${missing} of the pool's ${size}`
      : `no number left: the pool holds ${trackers.length} of ${size}`;
  return new Map(
    unserved.map((source, i) => {
      const next = freed[i];
      return [sourceKey(source), next ? `gets ${next.trackingNumber} in the next pass` : noneLeft];
    }),
  );
}

/** The tracker of each source: of several the active one, else one whose number is not being retired. */
function holdersOf(trackers: readonly PassTracker[]): ReadonlyMap<string, PassTracker> {
  const holders = new Map<string, PassTracker>();
  for (const tracker of trackers) {
    if (!tracker.source) continue;
    const key = sourceKey(tracker.source);
    const known = holders.get(key);
    if (known === undefined || claimOf(tracker) > claimOf(known)) holders.set(key, tracker);
  }
  return holders;
}

function claimOf({ status, retirement }: PassTracker): number {
  return (status === "active" ? 2 : 0) + (retirement === undefined ? 1 : 0);
}

function withoutVisits({ sources, trackers }: PassInput): readonly SourceMedium[] {
  const seen = new Set(sources.map(sourceKey));
  const found: SourceMedium[] = [];
  for (const { source } of trackers) {
    if (!source || seen.has(sourceKey(source))) continue;
    seen.add(sourceKey(source));
    found.push(source);
  }
  return found.sort(compareSources);
}
