import {
  type CallPlanNote,
  DomainError,
  findCallLoop,
  type PrincipalAccount,
  type parseExplainCallRequest,
  planCall,
} from "@calltrack/domain";
import type { CallExplanation } from "@calltrack/domain/gen/calltracking/v1/call_flow_pb";
import type { Executor } from "@calltrack/postgres";
import { findStoredPhoneSystem } from "../phone-systems/phone-system-repository.js";
import { findCallRoute, findCallRoutes } from "./call-route.js";

const DISABLED: readonly CallPlanNote[] = [
  {
    step: "reject",
    isDone: true,
    description:
      "the phone system is disabled: the server rejects its requests, so the phone system rings the fallback number in its own configuration",
  },
];

export type CallToExplain = Omit<ReturnType<typeof parseExplainCallRequest>, "at">;

/**
 * Explains how a call to a tracking number would proceed if it started at the time `now`.
 *
 * @param own the account that the principal is bound to; undefined if the principal may access all accounts.
 * @throws DomainError `TRACKING_NUMBER_NOT_FOUND` or `PHONE_SYSTEM_NOT_FOUND`
 */
export async function explainCall(
  db: Executor,
  { trackingNumber, phoneSystemId, callerNumber: caller, redirectingNumber }: CallToExplain,
  now: Date,
  own: PrincipalAccount | undefined,
): Promise<CallExplanation> {
  const route = await findCallRoute(db, trackingNumber);
  if (route === undefined || (own !== undefined && own.id !== route.accountId)) {
    throw new DomainError("TRACKING_NUMBER_NOT_FOUND", { trackingNumber });
  }
  const id = phoneSystemId ?? route.phoneSystemId;
  // Phone systems belong to the operator. A principal that is bound to an account may see only the phone system of the called number.
  const isVisible = own === undefined || id === route.phoneSystemId;
  const phoneSystem = id === undefined || !isVisible ? undefined : await findStoredPhoneSystem(db, id);
  if (phoneSystem === undefined && phoneSystemId !== undefined) {
    throw new DomainError("PHONE_SYSTEM_NOT_FOUND", { phoneSystemId });
  }
  const redirections = redirectingNumber === undefined ? [] : [redirectingNumber];
  const routes = await findCallRoutes(db, caller === undefined ? redirections : [caller, ...redirections]);
  const rejection = findCallLoop(route, { caller, redirections }, (number) => routes.get(number));
  const isDisabled = phoneSystem?.isActive === false;
  const notes = isDisabled ? DISABLED : planCall({ route, phoneSystem, caller, rejection, now }).notes;
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
