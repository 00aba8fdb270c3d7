import { type Spread, spreadOf } from "../comparison.ts";
import type { Attempt } from "./load.ts";

export interface Fault {
  readonly kind: string;
  /** Times of the fault and of the next fault, in milliseconds of `performance.now()`. */
  readonly at: number;
  readonly until: number;
}

export interface FaultEffect {
  readonly kind: string;
  readonly count: number;
  /** The longest time without a successful response to any client, in milliseconds, over the faults. */
  readonly reads: Spread;
  readonly writes: Spread;
  /** Fraction of requests that failed between each fault and the next one. */
  readonly failedReads: number;
  readonly failedWrites: number;
  readonly failures: ReadonlyMap<string, number>;
}

export function summarizeFaults(kind: string, faults: readonly Fault[], attempts: readonly Attempt[]): FaultEffect {
  const ofKind = faults.filter((each) => each.kind === kind);
  const met = ofKind.flatMap(({ at, until }) =>
    attempts.filter((each) => each.answeredAt >= at && each.answeredAt < until),
  );
  const silences = (isWrite: boolean) =>
    spreadOf(
      ofKind.map((fault) =>
        longestSilence(
          fault,
          attempts.filter((each) => each.isWrite === isWrite && each.failure === undefined),
        ),
      ),
    );
  const failures = new Map<string, number>();
  for (const { failure } of met) if (failure !== undefined) failures.set(failure, (failures.get(failure) ?? 0) + 1);
  return {
    kind,
    count: ofKind.length,
    reads: silences(false),
    writes: silences(true),
    failedReads: failedShare(met.filter((each) => !each.isWrite)),
    failedWrites: failedShare(met.filter((each) => each.isWrite)),
    failures,
  };
}

function longestSilence({ at, until }: Fault, good: readonly Attempt[]): number {
  const moments = good.map(({ answeredAt }) => answeredAt).filter((moment) => moment >= at && moment < until);
  const ends = [...moments.toSorted((a, b) => a - b), until];
  return Math.max(...ends.map((end, index) => end - (ends[index - 1] ?? at)));
}

function failedShare(attempts: readonly Attempt[]): number {
  return attempts.filter(({ failure }) => failure !== undefined).length / attempts.length;
}
