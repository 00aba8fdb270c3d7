import type { NumberPair } from "./number-swap.js";

/** A number to show, and how many seconds after the request it may be shown; 0 if that is unknown. */
export interface ShownNumber extends NumberPair {
  readonly show_for_seconds: number;
}

export interface NumbersResponse {
  /** Time of the request, in milliseconds since 1970. The age of the numbers counts from it, so that it is never underestimated. */
  readonly asked: number;
  readonly numbers: readonly ShownNumber[];
}

/** The parts of a page and its tab that the display uses. */
export interface DisplayPage {
  /** Settles within `MIN_INTERVAL_SECONDS`. Rejects if no valid response arrives, with the server's `Retry-After` in seconds if present. */
  fetchNumbers(): Promise<readonly ShownNumber[]>;
  /** Shows numbers in the document instead of the previous ones. Without numbers, the document shows its originals. */
  swap(pairs: readonly ShownNumber[]): void;
  /** Returns the time, in milliseconds since 1970. */
  now(): number;
  /** Stores the last response for the next page of the tab. */
  save(): void;
}

/** The maximum age of stored numbers that a page shows, and the interval at which it requests new ones. */
const MAX_AGE_SECONDS = 30;

const MIN_INTERVAL_SECONDS = 3;

/** How long to show numbers whose lifetime is unknown: until the next request has succeeded or failed. */
const UNKNOWN_SECONDS = 2 * MIN_INTERVAL_SECONDS;

/**
 * Creates the display of numbers on a page, which shows the stored numbers if they are fresh. Returns a function to call immediately and
 * then every second, because timers with longer intervals would be late after the computer slept.
 *
 * Numbers do not change while a visitor looks at them, unless a number has expired or a response no longer contains it.
 */
export function createNumberDisplay(visit: { answer?: NumbersResponse }, page: DisplayPage): () => void {
  let shown: readonly ShownNumber[] | undefined;
  let asked = 0;
  /** Seconds from the last request to the next, and from the next request to the one after it if the next fails. */
  let interval = 0;
  let retry = MIN_INTERVAL_SECONDS;

  const show = (pairs: readonly ShownNumber[] | undefined) => {
    page.swap(pairs ?? []);
    shown = pairs;
  };
  const isWithin = (seconds: number, since: number) => Math.abs(page.now() - since) < seconds * 1000;
  /** Returns the numbers of the last response; undefined if there is none or they have expired. */
  const findCurrent = ({ answer } = visit) =>
    answer && isWithin(lifetimeOf(answer) || UNKNOWN_SECONDS, answer.asked) ? answer.numbers : undefined;

  if (visit.answer && isWithin(maxAgeOf(visit.answer), visit.answer.asked)) show(visit.answer.numbers);

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
        interval = Math.max(maxAgeOf(visit.answer), MIN_INTERVAL_SECONDS);
        page.save();
        // Undefined if the computer slept until the response arrived, so that its numbers have expired.
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

/** Returns the shortest `show_for_seconds` in a response. */
function lifetimeOf(answer: NumbersResponse | undefined): number {
  return Math.min(...(answer?.numbers ?? []).map((number) => number.show_for_seconds));
}

/** Returns the age in seconds at which to replace a response: well before its numbers expire, so that they stay visible. */
function maxAgeOf(answer: NumbersResponse | undefined): number {
  return Math.min(MAX_AGE_SECONDS, lifetimeOf(answer) / 2);
}
