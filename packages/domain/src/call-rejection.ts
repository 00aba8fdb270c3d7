import { pluralize } from "./pluralize.js";

/** The reasons for which a call is rejected as busy. `calls.reject_reason` and the answers to phone systems have them. */
export const REJECT_REASONS = ["LOOP", "REPEATED"] as const;

/** Why a call is rejected: its forwarding leads back to where it came from, or it repeats calls that still ring. */
export type RejectReason = (typeof REJECT_REASONS)[number];

/** The rule that rejects a call. */
export interface Rejection {
  readonly reason: RejectReason;
  /** For `explain`. */
  readonly description: string;
}

/** The other numbers of a call. */
export interface CallPath {
  /** In E.164 format; undefined if the caller withheld the number. */
  readonly caller: string | undefined;
  /** The numbers that redirected the call, in E.164 format. */
  readonly redirections: readonly string[];
}

/** Where calls to a tracking number lead. */
export interface LeadingNumber {
  /** The number of the business, in E.164 format. */
  readonly originalNumber: string;
  /** Whether the call tracker has given the number back. */
  readonly isReleased: boolean;
}

/** The calls of one caller to one number within `REPEAT_WINDOW_MS` that ring, though none of them was answered or has ended. */
export const MAX_RINGING_CALLS = 5;

/** The time in which the calls of a caller to a number are counted. */
export const REPEAT_WINDOW_MS = 10_000;

/** Rejects the next call of a caller after `MAX_RINGING_CALLS`. */
export const REPEATED: Rejection = {
  reason: "REPEATED",
  description: `${pluralize(MAX_RINGING_CALLS, "call")} of the caller to the number came within ${pluralize(REPEAT_WINDOW_MS / 1000, "second")}, and none of them was answered or has ended`,
};

/**
 * Finds the number by which a call loops: its caller, or a number that redirected it. A call loops if one of them is a tracking number that a
 * call tracker holds, and leads to the same original number. Returns undefined if the call does not loop.
 *
 * Providers may name the dialled number as redirecting, which is no loop.
 *
 * @param routeOf returns the route of a number; undefined if no call tracker holds or held it, or if that is not known.
 */
export function findLoop(
  dialled: { readonly trackingNumber: string; readonly originalNumber: string },
  { caller, redirections }: CallPath,
  routeOf: (number: string) => LeadingNumber | undefined,
): Rejection | undefined {
  const { trackingNumber, originalNumber } = dialled;
  const leadsBack = (number: string) => {
    const route = routeOf(number);
    return route !== undefined && !route.isReleased && route.originalNumber === originalNumber;
  };
  const which = `a tracking number that leads to ${originalNumber}, as the dialled one does`;
  if (caller !== undefined && leadsBack(caller)) {
    return { reason: "LOOP", description: `the caller's number ${caller} is ${which}` };
  }
  const redirecting = redirections.find((number) => number !== trackingNumber && leadsBack(number));
  return redirecting === undefined
    ? undefined
    : { reason: "LOOP", description: `${redirecting} redirected the call, and is ${which}` };
}
