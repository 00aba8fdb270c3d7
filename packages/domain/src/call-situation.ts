import type { Rejection } from "./call-rejection.js";
import type { AllowedDestinations } from "./destination.js";
import type { CallFlowSettings } from "./gen/calltracking/v1/call_flow_pb.js";
import type { PhoneSystemRules } from "./phone-system.js";

/** Where a call to a tracking number goes, as the database or the cache says. */
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
  /** The pool's settings over the account's, without the service's defaults. */
  readonly flow: CallFlowSettings;
  /** The numbers of the flow that are tracking numbers by now: these are not dialed. */
  readonly trackedNumbers: readonly string[];
  /** Whether the call tracker has given the number back, so that it only keeps the number's calls until the next one. */
  readonly isReleased: boolean;
  /** The phone system that the number names. */
  readonly phoneSystemId: string | undefined;
}

/** A call to plan. */
export interface CallSituation {
  readonly route: CallRoute;
  /** The phone system that the call arrives at; undefined if it is unknown, which is then taken to be capable of everything. */
  readonly phoneSystem: (AllowedDestinations & Pick<PhoneSystemRules, "capabilities">) | undefined;
  /** The caller's number in E.164 format; undefined if it is withheld or unreadable. */
  readonly caller: string | undefined;
  /** Undefined if the call is connected. */
  readonly rejection: Rejection | undefined;
  readonly now: Date;
  /**
   * Returns a number from 0 to below 1 for a step of the call flow by its index, which chooses the target that rings first. It must follow from the
   * call alone. Undefined for the first target.
   */
  readonly chance?: (step: number) => number;
}
