/** How long pages and caches may use a number, in whole seconds. */
export interface NumberLifetime {
  /** How long HTTP caches may keep the response. Pages request it again after this time. */
  readonly maxAgeSeconds: number;
  /** How long a page may show the number after it requested it, even if caches kept the response for `maxAgeSeconds`. */
  readonly showForSeconds: number;
}

/** Short, because an immediate retirement withdraws a number without notice. */
const MAX_AGE_SECONDS = 30;

const MAX_SECONDS = 24 * 60 * 60;

/** A pass may have begun before the response was sent, and a page notices up to a second late that a number has expired. */
const MARGIN_SECONDS = 5;

/**
 * Returns how long pages may show the number of an active call tracker. In the worst case, the tracker is flagged right after the response, and
 * calls to the number are for another source as soon as the grace period ends.
 *
 * @param gracePeriodMs how long a flagged call tracker still tracks calls; undefined if the clock is virtual, so that it can jump at any time.
 */
export function numberLifetime(gracePeriodMs: number | undefined): NumberLifetime {
  const safe = Math.min(MAX_SECONDS, Math.max(0, Math.floor((gracePeriodMs ?? 0) / 1000) - MARGIN_SECONDS));
  const maxAgeSeconds = Math.min(MAX_AGE_SECONDS, Math.floor(safe / 2));
  return { maxAgeSeconds, showForSeconds: safe - maxAgeSeconds };
}
