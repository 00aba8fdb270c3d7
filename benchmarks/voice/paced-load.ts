import { setTimeout as pause } from "node:timers/promises";

/** Percentiles of latencies, in milliseconds; `p999` is the 99.9th percentile. */
export interface LatencyPercentiles {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/**
 * Sends requests at a constant rate, even if earlier requests have no response yet. The latency of a request counts from its scheduled time, so that
 * a stalled server is not measured too fast (coordinated omission).
 *
 * @param send sends one request, and rejects if the response is wrong.
 */
export async function sendAtConstantRate(
  send: (index: number) => Promise<void>,
  perSecond: number,
  seconds: number,
): Promise<LatencyPercentiles> {
  const begin = performance.now();
  const latencies: Promise<number>[] = [];
  while (latencies.length < perSecond * seconds) {
    const dueAt = begin + (latencies.length * 1000) / perSecond;
    const waitMs = dueAt - performance.now();
    if (waitMs > 0) await pause(waitMs);
    latencies.push(send(latencies.length).then(() => performance.now() - dueAt));
  }
  return summarizeLatencies(await Promise.all(latencies));
}

/** Returns the percentiles of latencies in milliseconds; NaN if there are no latencies. */
export function summarizeLatencies(latencies: readonly number[]): LatencyPercentiles {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), p999: at(0.999), max: at(1) };
}
