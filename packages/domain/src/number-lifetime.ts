/** How long HTTP caches and web pages may use a tracking number, in whole seconds. */
export interface NumberLifetime {
  /** How long HTTP caches may keep a response with the number. Pages request the number again after this time. */
  readonly maxAgeSeconds: number;
  /** How long a page may show the number after its request, even if a cache kept the response for `maxAgeSeconds`. */
  readonly showForSeconds: number;
}

/**
 * The longest time for which caches may keep a number. It is short, because an immediate retirement takes a number from its source without a grace
 * period.
 */
const MAX_AGE_SECONDS = 30;

const MAX_SECONDS = 24 * 60 * 60;

/**
 * The time between the moment when pages stop showing a number and the earliest possible change of the number. A pass may have begun before the
 * response, and pages react up to a second late.
 */
const MARGIN_SECONDS = 5;

/**
 * Computes how long pages may show the number of an active call tracker. In the worst case, the tracker is flagged right after the response,
 * and calls to the number are attributed to another source as soon as the grace period ends.
 *
 * @param gracePeriodMs how long a flagged call tracker still tracks calls; undefined if the clock is virtual and can jump at any time.
 */
export function computeNumberLifetime(gracePeriodMs: number | undefined): NumberLifetime {
  const safe = Math.min(MAX_SECONDS, Math.max(0, Math.floor((gracePeriodMs ?? 0) / 1000) - MARGIN_SECONDS));
  const maxAgeSeconds = Math.min(MAX_AGE_SECONDS, Math.floor(safe / 2));
  return { maxAgeSeconds, showForSeconds: safe - maxAgeSeconds };
}
