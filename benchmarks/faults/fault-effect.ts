import { computeSpread, type Spread } from "../comparison.ts";
import type { RequestAttempt } from "./fault-load.ts";

export interface Fault {
  readonly kind: string;
  /** The time of the fault. `until` is the time of the next fault. Both are in milliseconds of `performance.now()`. */
  readonly at: number;
  readonly until: number;
}

export interface FaultEffect {
  readonly kind: string;
  readonly count: number;
  /** The longest time without a successful read by any client after each fault, in milliseconds. `writes` is the same for writes. */
  readonly reads: Spread;
  readonly writes: Spread;
  /** The fraction of read requests that failed between a fault and the next fault. */
  readonly failedReads: number;
  readonly failedWrites: number;
  readonly failures: ReadonlyMap<string, number>;
}

export function summarizeFaultEffect(
  kind: string,
  faults: readonly Fault[],
  attempts: readonly RequestAttempt[],
): FaultEffect {
  const ofKind = faults.filter((each) => each.kind === kind);
  const met = ofKind.flatMap(({ at, until }) =>
    attempts.filter((each) => each.answeredAt >= at && each.answeredAt < until),
  );
  const silences = (isWrite: boolean) =>
    computeSpread(
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

function longestSilence({ at, until }: Fault, good: readonly RequestAttempt[]): number {
  const moments = good.map(({ answeredAt }) => answeredAt).filter((moment) => moment >= at && moment < until);
  const ends = [...moments.toSorted((a, b) => a - b), until];
  return Math.max(...ends.map((end, index) => end - (ends[index - 1] ?? at)));
}

function failedShare(attempts: readonly RequestAttempt[]): number {
  return attempts.filter(({ failure }) => failure !== undefined).length / attempts.length;
}
