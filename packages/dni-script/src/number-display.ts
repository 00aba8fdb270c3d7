import type { NumberPair } from "./number-swap.js";

/** A number to show, and for how many seconds after its request; 0 if that is unknown. */
export interface ShownNumber extends NumberPair {
  readonly show_for_seconds: number;
}

/** The numbers of a response. */
export interface Answer {
  /** Time of the request, in milliseconds since 1970. Counted from it, numbers are never older than they seem. */
  readonly asked: number;
  readonly numbers: readonly ShownNumber[];
}

/** The page and its tab, as far as the display uses them. */
export interface Page {
  /**
   * Requests the numbers. Settles within `MIN_INTERVAL_SECONDS`. Rejects if no valid response arrives, with the seconds after
   * which to ask again if the server says so.
   */
  fetchNumbers(): Promise<readonly ShownNumber[]>;
  /** Shows numbers in the document, possibly none, in place of those before. */
  swap(pairs: readonly ShownNumber[]): void;
  /** Returns the time, in milliseconds since 1970. */
  now(): number;
  /** Stores the last answer for the next page of the tab. */
  save(): void;
}

/** A page shows stored numbers that are younger than this, and asks for new ones this often. */
const MAX_AGE_SECONDS = 30;

const MIN_INTERVAL_SECONDS = 3;

/** How long to show numbers whose time is unknown: until the next request is answered or has failed. */
const UNKNOWN_SECONDS = 2 * MIN_INTERVAL_SECONDS;

/**
 * Creates the display of numbers on a page. Shows the stored ones if they are fresh. Returns a function to call at once
 * and then every second; timers with longer intervals would be late after the computer slept.
 *
 * Numbers do not change while a visitor looks at them, unless a number has expired or an answer no longer contains it.
 */
export function createNumberDisplay(visit: { answer?: Answer }, page: Page): () => void {
  let shown: readonly ShownNumber[] | undefined;
  let asked = 0;
  /** When to ask after the last request, and after the next one if that fails too, in seconds. */
  let interval = 0;
  let retry = MIN_INTERVAL_SECONDS;

  const show = (pairs: readonly ShownNumber[] | undefined) => {
    page.swap(pairs ?? []);
    shown = pairs;
  };
  const isWithin = (seconds: number, since: number) => Math.abs(page.now() - since) < seconds * 1000;
  /** Returns the numbers of the last answer; undefined if there is none or they have expired. */
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
        // They have expired if the computer slept before the response arrived.
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

/** Returns the shortest time of an answer's numbers, in seconds. */
function lifetimeOf(answer: Answer | undefined): number {
  return Math.min(...(answer?.numbers ?? []).map((number) => number.show_for_seconds));
}

/** Returns when to replace an answer, in seconds: well before its numbers expire, so that they stay visible. */
function maxAgeOf(answer: Answer | undefined): number {
  return Math.min(MAX_AGE_SECONDS, lifetimeOf(answer) / 2);
}
