import type { CallRejection } from "./call-rejection.js";
import type { AllowedDestinations } from "./destination.js";
import type { CallFlowSettings } from "./gen/calltracking/v1/call_flow_pb.js";
import type { PhoneSystemRules } from "./phone-system.js";

/** How calls to a tracking number are routed, as read from the database or the routing cache. */
export interface CallRoute {
  /** The tracking number in E.164 format. */
  readonly trackingNumber: string;
  readonly accountId: number;
  readonly accountToken: string;
  readonly poolId: string;
  readonly callTrackerId: string;
  /** The number of the business, to which calls are forwarded, in E.164 format. */
  readonly originalNumber: string;
  readonly source: string | undefined;
  readonly medium: string | undefined;
  readonly isPrompted: boolean;
  readonly isRecorded: boolean;
  /** The settings of the pool's call flow, completed by the account's defaults but not by the service's defaults. */
  readonly flow: CallFlowSettings;
  /** The numbers in the call flow that must not be dialed, because they have become tracking numbers. */
  readonly trackedNumbers: readonly string[];
  /** Whether the call tracker was deleted. Calls to its number are attributed to it until another call tracker gets the number. */
  readonly isReleased: boolean;
  /** The phone system at which calls to the tracking number arrive; undefined if the number has none. */
  readonly phoneSystemId: string | undefined;
}

/** A call to a tracking number, with all facts from which `planCall` decides what happens to the call. */
export interface CallSituation {
  readonly route: CallRoute;
  /** The phone system at which the call arrives; undefined if unknown. The plan then assumes a phone system with all capabilities. */
  readonly phoneSystem: (AllowedDestinations & Pick<PhoneSystemRules, "capabilities">) | undefined;
  /** The caller's number in E.164 format; undefined if it is withheld or unreadable. */
  readonly caller: string | undefined;
  /** Why the call is rejected; undefined if it is not rejected. */
  readonly rejection: CallRejection | undefined;
  readonly now: Date;
  /**
   * Returns a number from 0, inclusive, to 1, exclusive, which chooses the target that rings first in the step with the given index. The
   * number must depend only on the call, so that a repeated request gets the same one. If undefined, the first target rings first.
   */
  readonly chance?: (step: number) => number;
}
