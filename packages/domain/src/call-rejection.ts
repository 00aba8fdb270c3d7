import { pluralize } from "./pluralize.js";

/** The reasons for which a call is rejected as busy, as stored in `calls.reject_reason` and sent to phone systems. */
export const REJECT_REASONS = ["LOOP", "REPEATED"] as const;

/** `LOOP`: the call would be forwarded back to where it came from. `REPEATED`: the caller's earlier calls to the number still ring. */
export type RejectReason = (typeof REJECT_REASONS)[number];

/** Why a call is rejected. */
export interface Rejection {
  readonly reason: RejectReason;
  /** A human-readable explanation, for `ExplainCall`. */
  readonly description: string;
}

/** The numbers from which a call came to the dialed number. */
export interface CallerAndRedirections {
  /** In E.164 format; undefined if the caller withheld the number. */
  readonly caller: string | undefined;
  /** The numbers that redirected the call, in E.164 format. */
  readonly redirections: readonly string[];
}

/** Where calls to a tracking number go. */
export interface NumberRoute {
  /** The number of the business, in E.164 format. */
  readonly originalNumber: string;
  /** Whether the call tracker has been deleted, so that it no longer holds the number. */
  readonly isReleased: boolean;
}

/** Maximum number of calls from one caller to one number, within `REPEAT_WINDOW_MS`, that ring at the same time. */
export const MAX_RINGING_CALLS = 5;

export const REPEAT_WINDOW_MS = 10_000;

/** The rejection of a caller's next call after `MAX_RINGING_CALLS`. */
export const REPEATED_CALL_REJECTION: Rejection = {
  reason: "REPEATED",
  description: `${pluralize(MAX_RINGING_CALLS, "call")} from the caller to the number came within ${pluralize(REPEAT_WINDOW_MS / 1000, "second")}, and none of them was answered or has ended`,
};

/**
 * Returns the rejection of a call that loops; undefined if it does not loop. A call loops if the caller's number, or a number that
 * redirected the call, is a tracking number that a call tracker holds and that has the same original number.
 *
 * The dialed number itself does not count as redirecting, because providers may list it.
 *
 * @param routeOf returns the route of a number; undefined if no call tracker holds or held it, or if the route is unknown.
 */
export function findLoop(
  dialed: { readonly trackingNumber: string; readonly originalNumber: string },
  { caller, redirections }: CallerAndRedirections,
  routeOf: (number: string) => NumberRoute | undefined,
): Rejection | undefined {
  const { trackingNumber, originalNumber } = dialed;
  const leadsBack = (number: string) => {
    const route = routeOf(number);
    return route !== undefined && !route.isReleased && route.originalNumber === originalNumber;
  };
  const which = `a tracking number that leads to ${originalNumber}, like the dialed number`;
  if (caller !== undefined && leadsBack(caller)) {
    return { reason: "LOOP", description: `the caller's number ${caller} is ${which}` };
  }
  const redirecting = redirections.find((number) => number !== trackingNumber && leadsBack(number));
  return redirecting === undefined
    ? undefined
    : { reason: "LOOP", description: `${redirecting} redirected the call, and is ${which}` };
}
