import { type Caller, readCaller, readDialledNumber, wordProblem } from "@calltrack/domain";
import type { StoredPhoneSystem } from "../api/phone-systems/phone-system-row.js";
import type { Webhook } from "./providers/webhook.js";
import { callIdOf } from "./report/call-reference.js";

/** A call as its phone system presents it in a request, read by the rules of the phone system. */
export interface PresentedCall extends Webhook {
  readonly phoneSystem: StoredPhoneSystem;
  /** The service's id of the call; undefined without an id of the phone system. */
  readonly callId: string | undefined;
  /**
   * The number that the caller dialled, in E.164 format; undefined if the request names none. If its country cannot be told, a plus sign
   * and the digits as they came: a tracking number may have just these digits.
   */
  readonly trackingNumber: string | undefined;
  /** Whether the number's country can be told. */
  readonly isNumberWhole: boolean;
  readonly caller: Caller;
  /** In E.164 format; undefined if the caller has no number that can be read. */
  readonly callerNumber: string | undefined;
}

/** Reads what a request says of a call. An id that cannot be stored is none. */
export function presentCall(phoneSystem: StoredPhoneSystem, webhook: Webhook): PresentedCall {
  const isStorable = wordProblem(webhook.providerCallId ?? "") === undefined;
  const providerCallId = isStorable ? webhook.providerCallId : undefined;
  const number = readDialledNumber(webhook.to, phoneSystem);
  const isNumberWhole = number?.startsWith("+") ?? false;
  const caller = readCaller(webhook, phoneSystem);
  return {
    ...webhook,
    ...{ phoneSystem, providerCallId, isNumberWhole, caller },
    callId: providerCallId === undefined ? undefined : callIdOf(phoneSystem.id, providerCallId),
    trackingNumber: number === undefined || isNumberWhole ? number : `+${number}`,
    callerNumber: caller.kind === "number" ? caller.number : undefined,
  };
}
