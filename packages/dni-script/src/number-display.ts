import type { NumberPair } from "./number-swapper.js";

export interface ShownNumber extends NumberPair {
  /** How many seconds after the request the page may show the number; 0 if the server does not know. */
  readonly show_for_seconds: number;
}

export interface NumbersResponse {
  /** When the request was sent, in milliseconds since 1970. The age of the numbers is measured from this time, so that it is never underestimated. */
  readonly asked: number;
  readonly numbers: readonly ShownNumber[];
}

/** The functions through which `createNumberDisplay` uses the page, its tab and the server. */
export interface NumberDisplayEnvironment {
  /** Settles within `MIN_INTERVAL_SECONDS`. If no valid response arrives, rejects, with the server's `Retry-After` in seconds if there is one. */
  fetchNumbers(): Promise<readonly ShownNumber[]>;
  /** Replaces the numbers that the document shows. If `pairs` is empty, the document shows its original numbers. */
  swap(pairs: readonly ShownNumber[]): void;
  /** Returns the current time, in milliseconds since 1970. */
  now(): number;
  /** Stores the visit, with the last response, for the next page in the tab. */
  save(): void;
}

/** The maximum age of stored numbers that a page shows. Also how often the page requests new numbers. */
const MAX_AGE_SECONDS = 30;

const MIN_INTERVAL_SECONDS = 3;

/** How long to show numbers whose `show_for_seconds` is 0: until the next request has succeeded or failed. */
const UNKNOWN_SECONDS = 2 * MIN_INTERVAL_SECONDS;

/**
 * Starts to show the numbers of a visit on a page: first the stored numbers, if they are fresh. Returns a function that requests and shows new
 * numbers when necessary. Call the returned function immediately and then every second. A longer timer would fire late after the computer slept.
 *
 * Shown numbers do not change while the page is open, unless one of them has expired or is missing in a new response.
 */
export function createNumberDisplay(visit: { answer?: NumbersResponse }, page: NumberDisplayEnvironment): () => void {
  let shown: readonly ShownNumber[] | undefined;
  let asked = 0;
  /** Seconds from the last request to the next one. */
  let interval = 0;
  /** Seconds from the next request to the one after it, if the next request fails. */
  let retry = MIN_INTERVAL_SECONDS;

  const show = (pairs: readonly ShownNumber[] | undefined) => {
    page.swap(pairs ?? []);
    shown = pairs;
  };
  const isWithin = (seconds: number, since: number) => Math.abs(page.now() - since) < seconds * 1000;
  /** Returns the numbers in the last response; undefined if there is no response or a number has expired. */
  const findCurrent = ({ answer } = visit) =>
    answer && isWithin(findLifetime(answer) || UNKNOWN_SECONDS, answer.asked) ? answer.numbers : undefined;

  if (visit.answer && isWithin(findMaxAge(visit.answer), visit.answer.asked)) show(visit.answer.numbers);

  return () => {
    if (shown && !findCurrent()) show(undefined);
    if (isWithin(interval, asked)) return;
    const now = page.now();
    asked = now;
    interval = retry;
    retry = Math.min(2 * retry, MAX_AGE_SECONDS);
    page
      .fetchNumbers()
      .then((numbers) => {
        retry = MIN_INTERVAL_SECONDS;
        visit.answer = { asked: now, numbers };
        interval = Math.max(findMaxAge(visit.answer), MIN_INTERVAL_SECONDS);
        page.save();
        // Undefined if the numbers expired before the response was handled, because the computer slept.
        const current = findCurrent();
        const isCurrent = ({ original_number, number }: NumberPair) =>
          current?.some((next) => next.original_number === original_number && next.number === number);
        if (!shown?.every(isCurrent)) show(current);
      })
      .catch((retryAfter: unknown) => {
        interval = Math.max(interval, Number(retryAfter) || 0);
      });
  };
}

/** Returns the smallest `show_for_seconds` in a response. */
function findLifetime(answer: NumbersResponse | undefined): number {
  return Math.min(...(answer?.numbers ?? []).map((number) => number.show_for_seconds));
}

/** Returns the age in seconds at which a response is too old, well before its numbers expire. The next response then arrives in time. */
function findMaxAge(answer: NumbersResponse | undefined): number {
  return Math.min(MAX_AGE_SECONDS, findLifetime(answer) / 2);
}
