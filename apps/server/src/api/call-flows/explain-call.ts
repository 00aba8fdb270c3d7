import { DomainError, type PlanNote, type PrincipalAccount, planCall } from "@calltrack/domain";
import type { CallExplanation } from "@calltrack/domain/gen/calltracking/v1/call_flow_pb";
import type { Executor } from "@calltrack/postgres";
import { findStoredPhoneSystem } from "../phone-systems/phone-system-repository.js";
import { findCallRoute } from "./call-route.js";

const DISABLED: readonly PlanNote[] = [
  {
    step: "reject",
    isDone: true,
    description: "the phone system is disabled: its requests are refused, so it rings the fallback that is set there",
  },
];

/**
 * Explains what a call to a tracking number would do at a time.
 *
 * @param phoneSystemId the phone system that the call arrives at; undefined for the one that the number names.
 * @param own the account that the principal is bound to; undefined if it reaches all accounts.
 * @throws DomainError `TRACKING_NUMBER_NOT_FOUND` or `PHONE_SYSTEM_NOT_FOUND`
 */
export async function explainCall(
  db: Executor,
  trackingNumber: string,
  phoneSystemId: string | undefined,
  now: Date,
  own: PrincipalAccount | undefined,
): Promise<CallExplanation> {
  const route = await findCallRoute(db, trackingNumber);
  if (route === undefined || (own !== undefined && own.id !== route.accountId)) {
    throw new DomainError("TRACKING_NUMBER_NOT_FOUND", { trackingNumber });
  }
  const id = phoneSystemId ?? route.phoneSystemId;
  const phoneSystem = id === undefined ? undefined : await findStoredPhoneSystem(db, id);
  if (phoneSystem === undefined && phoneSystemId !== undefined) {
    throw new DomainError("PHONE_SYSTEM_NOT_FOUND", { phoneSystemId });
  }
  const call = { caller: undefined, isCallerTracked: false, isRedirectTracked: false, isRepeated: false };
  const notes = phoneSystem?.isActive === false ? DISABLED : planCall({ ...call, route, phoneSystem, now }).notes;
  return {
    $typeName: "calltracking.v1.CallExplanation",
    ...{ trackingNumber, accountToken: route.accountToken, poolId: route.poolId },
    phoneSystemId: phoneSystem?.id,
    source: route.source,
    isPrompted: route.isPrompted,
    isRecorded: route.isRecorded,
    steps: notes.map((note) => ({ $typeName: "calltracking.v1.CallStepExplanation", ...note })),
  };
}
