import type { PassContext } from "./pass-context.js";
import type { PassInput } from "./pass-input.js";
import type { PassOutcome } from "./pass-outcome.js";
import { compareAvailability, type PassTracker, type TrackerStatus, timelineEnd } from "./pass-tracker.js";
import { compareSources, type SourceMedium, sourceKey } from "./source-medium.js";
import type { RankedSource } from "./source-ranking.js";
import { lackText, rankText } from "./source-standing.js";

/** What becomes of one source, and why. */
export interface SourceExplanation extends RankedSource {
  /** The best is 1; undefined for a source that has no visits. */
  readonly rank: number | undefined;
  /** Of the tracker that it holds, if it holds one. */
  readonly trackingNumber: string | undefined;
  readonly trackerStatus: TrackerStatus | undefined;
  /** Whether it has an active tracker. */
  readonly isServed: boolean;
  /** In words, for a person: `rank 6 of 5`. */
  readonly reason: string;
}

/**
 * Every source with visits, best first, then those that have none and held a tracker before the pass.
 *
 * @param context of a pass over an automanaged pool, and what came of it.
 */
export function explainSources(
  input: PassInput,
  { atMost, ranking, settings }: PassContext,
  outcome: PassOutcome,
): readonly SourceExplanation[] {
  const holders = new Map(outcome.trackers.map((each) => [each.source && sourceKey(each.source), each]));
  const unserved = unservedReasons(input, outcome);
  const explain = (ranked: RankedSource, rank: number | undefined): SourceExplanation => {
    const { source, medium, visits } = ranked;
    const tracker = holders.get(sourceKey(ranked));
    const lack = unserved.get(ranked) ?? lackText({ visits, rank }, atMost, settings.visitThreshold);
    return {
      ...{ source, medium, visits, rank },
      trackingNumber: tracker?.trackingNumber,
      trackerStatus: tracker?.status,
      isServed: tracker?.status === "active",
      reason: tracker ? holderReason(tracker, rankText(rank ?? 0, atMost), lack, settings.timelineMs) : lack,
    };
  };
  return [
    ...ranking.order.map((ranked, i) => explain(ranked, i + 1)),
    ...withoutVisits(input).map((source) => explain({ ...source, visits: 0 }, undefined)),
  ];
}

function holderReason(tracker: PassTracker, rank: string, lack: string, timelineMs: number): string {
  const end = timelineEnd(tracker, timelineMs);
  return end === undefined
    ? `holds ${tracker.trackingNumber} with ${rank}`
    : `${lack}: keeps ${tracker.trackingNumber} until ${new Date(end).toISOString()}`;
}

/** Why the sources of the top that got no tracker got none. */
function unservedReasons(
  { pool }: PassInput,
  { trackers, unserved, missing }: PassOutcome,
): ReadonlyMap<RankedSource, string> {
  const freed = trackers.filter(({ status }) => status === "available").sort(compareAvailability);
  const noneLeft =
    missing > 0
      ? `no number left: the inventory lacks ${missing} of the pool's ${pool.size}`
      : `no number left: the pool's ${trackers.length} are taken`;
  return new Map(
    unserved.map((source, i) => {
      const next = freed[i];
      return [source, next ? `gets ${next.trackingNumber} in the next pass` : noneLeft];
    }),
  );
}

function withoutVisits({ sources, trackers }: PassInput): readonly SourceMedium[] {
  const visited = new Set(sources.map(sourceKey));
  return trackers
    .flatMap(({ source }) => (source && !visited.has(sourceKey(source)) ? [source] : []))
    .sort(compareSources);
}
