const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The wait before each attempt, counted from the previous attempt, as Standard Webhooks recommends. */
const WAITS_MS: readonly number[] = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];

/** Time from the first to the last attempt of a delivery. An endpoint that accepts no request for this long is disabled. */
export const RETRY_SPAN_MS: number = WAITS_MS.reduce((sum, wait) => sum + wait, 0);

/** Spreads the attempts of many deliveries that failed at the same time. */
const JITTER = 0.1;

/**
 * Returns the wait before the next attempt in milliseconds; undefined after the last attempt.
 *
 * @param attempts the number of attempts that have failed.
 * @param retryAfterMs the wait that the receiver requested; 0 if it requested none.
 * @param random from 0 to 1.
 */
export function computeRetryWaitMs(attempts: number, retryAfterMs: number, random: number): number | undefined {
  const wait = WAITS_MS[attempts];
  if (wait === undefined) return undefined;
  return Math.max(wait * (1 + JITTER * (2 * random - 1)), retryAfterMs);
}

/** Returns the wait that a Retry-After header requests (RFC 9110 section 10.2.3), at most a day; 0 if the header is absent or malformed. */
export function parseRetryAfterMs(header: string | undefined, now: Date): number {
  if (header === undefined) return 0;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * SECOND_MS : Date.parse(header) - now.getTime();
  return ms > 0 ? Math.min(ms, DAY_MS) : 0;
}
