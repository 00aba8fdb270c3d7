import type { Rejection } from "./call-rejection.js";
import type { AllowedDestinations } from "./destination.js";
import type { CallFlowSettings } from "./gen/calltracking/v1/call_flow_pb.js";
import type { PhoneSystemRules } from "./phone-system.js";

/** Where calls to a tracking number go, as read from the database or the routing cache. */
export interface CallRoute {
  /** In E.164 format. */
  readonly trackingNumber: string;
  readonly accountId: number;
  readonly accountToken: string;
  readonly poolId: string;
  readonly callTrackerId: string;
  /** The number of the business, in E.164 format. */
  readonly originalNumber: string;
  readonly source: string | undefined;
  readonly medium: string | undefined;
  readonly isPrompted: boolean;
  readonly isRecorded: boolean;
  /** The pool's settings, completed by the account's defaults but not by the service's. */
  readonly flow: CallFlowSettings;
  /** The numbers in the call flow that have become tracking numbers, so that they must not be dialed. */
  readonly trackedNumbers: readonly string[];
  /** Whether the call tracker has been deleted. Calls to its number still count for it until another call tracker gets the number. */
  readonly isReleased: boolean;
  /** The phone system of the tracking number; undefined if it has none. */
  readonly phoneSystemId: string | undefined;
}

/** A call to a tracking number, and all that its plan depends on. */
export interface CallSituation {
  readonly route: CallRoute;
  /** The phone system at which the call arrives; undefined if unknown: the plan then assumes that it can do everything. */
  readonly phoneSystem: (AllowedDestinations & Pick<PhoneSystemRules, "capabilities">) | undefined;
  /** The caller's number in E.164 format; undefined if it is withheld or unreadable. */
  readonly caller: string | undefined;
  /** Undefined if the call is not rejected. */
  readonly rejection: Rejection | undefined;
  readonly now: Date;
  /**
   * Returns a number from 0, inclusive, to 1, exclusive, that chooses the target to ring first in the step of the call flow with the given
   * index. It must depend only on the call. If undefined, the first target rings first.
   */
  readonly chance?: (step: number) => number;
}
