import { pluralize } from "./pluralize.js";

/** The reasons for which Calltrack rejects a call as busy. Stored in `calls.reject_reason` and sent to phone systems. */
export const REJECT_REASONS = ["LOOP", "REPEATED"] as const;

/** `LOOP`: the call would be forwarded back to its origin. `REPEATED`: too many earlier calls from the caller to the number still ring. */
export type RejectReason = (typeof REJECT_REASONS)[number];

/** The reason to reject a call, as a stable code and as a human-readable description. */
export interface CallRejection {
  readonly reason: RejectReason;
  /** A human-readable explanation, which `ExplainCall` returns. */
  readonly description: string;
}

/** The caller's number, and the numbers that redirected the call to the dialed number. */
export interface CallerAndRedirections {
  /** The caller's number in E.164 format; undefined if the caller withheld it. */
  readonly caller: string | undefined;
  /** The numbers that redirected the call, in E.164 format. */
  readonly redirections: readonly string[];
}

/** The destination of calls to a tracking number, and whether the tracking number is still assigned to a call tracker. */
export interface TrackingNumberRoute {
  /** The number of the business, to which calls are forwarded, in E.164 format. */
  readonly originalNumber: string;
  /** Whether the call tracker has been deleted, so that the number is no longer assigned to it. */
  readonly isReleased: boolean;
}

/**
 * Maximum number of calls from one caller to one number that start within `REPEATED_CALL_WINDOW_MS` and are still ringing. Further calls are
 * rejected.
 */
export const MAX_RINGING_CALLS_PER_CALLER = 5;

export const REPEATED_CALL_WINDOW_MS = 10_000;

/** The rejection of a call whose caller already has `MAX_RINGING_CALLS_PER_CALLER` ringing calls to the same number. */
export const REPEATED_CALL_REJECTION: CallRejection = {
  reason: "REPEATED",
  description: `${pluralize(MAX_RINGING_CALLS_PER_CALLER, "call")} from the caller to the number came within ${pluralize(REPEATED_CALL_WINDOW_MS / 1000, "second")}, and all of them are still ringing`,
};

/**
 * Returns the rejection of a call that loops; undefined if the call does not loop. A call loops if the caller's number or a redirecting number leads
 * back to the business. A number that leads back is assigned to a call tracker and has the same original number as the dialed number.
 *
 * Ignores the dialed number among the redirecting numbers, because providers may list it there.
 *
 * @param routeOf returns the route of a number; undefined if the number was never assigned to a call tracker, or if its route is unknown.
 */
export function findCallLoop(
  dialed: { readonly trackingNumber: string; readonly originalNumber: string },
  { caller, redirections }: CallerAndRedirections,
  routeOf: (number: string) => TrackingNumberRoute | undefined,
): CallRejection | undefined {
  const { trackingNumber, originalNumber } = dialed;
  const leadsBack = (number: string) => {
    const route = routeOf(number);
    return route !== undefined && !route.isReleased && route.originalNumber === originalNumber;
  };
  const which = `a tracking number that leads to ${originalNumber}, as the dialed number does`;
  if (caller !== undefined && leadsBack(caller)) {
    return { reason: "LOOP", description: `the caller's number ${caller} is ${which}` };
  }
  const redirecting = redirections.find((number) => number !== trackingNumber && leadsBack(number));
  return redirecting === undefined
    ? undefined
    : { reason: "LOOP", description: `the call was redirected by ${redirecting}, which is ${which}` };
}
