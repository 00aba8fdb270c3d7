import { type CallerNumber, findUnspacedTextProblem, readCallerNumber, readDialedNumber } from "@calltrack/domain";
import type { StoredPhoneSystem } from "../api/phone-systems/phone-system-row.js";
import type { WebhookContent } from "./providers/webhook-content.js";
import { deriveCallId } from "./report/call-reference.js";

/** The facts that one request reports about an inbound call, interpreted by the rules of its phone system. */
export interface InboundCall extends WebhookContent {
  readonly phoneSystem: StoredPhoneSystem;
  /** Calltrack's id for the call; undefined if the request has no call id. */
  readonly callId: string | undefined;
  /**
   * The number that the caller dialed, in E.164 format; undefined if the request has none. If the number's country is unknown, this is a plus
   * sign and the digits as received, because a tracking number may have exactly these digits.
   */
  readonly trackingNumber: string | undefined;
  /** Whether the country of `trackingNumber` is known. */
  readonly isNumberWhole: boolean;
  readonly caller: CallerNumber;
  /** In E.164 format; undefined if the caller's number is withheld or cannot be read. */
  readonly callerNumber: string | undefined;
}

/** Interprets the content of a request from a phone system. A call id that cannot be stored counts as absent. */
export function readInboundCall(phoneSystem: StoredPhoneSystem, webhook: WebhookContent): InboundCall {
  const isStorable = findUnspacedTextProblem(webhook.providerCallId ?? "") === undefined;
  const providerCallId = isStorable ? webhook.providerCallId : undefined;
  const number = readDialedNumber(webhook.to, phoneSystem);
  const isNumberWhole = number?.startsWith("+") ?? false;
  const caller = readCallerNumber(webhook, phoneSystem);
  return {
    ...webhook,
    ...{ phoneSystem, providerCallId, isNumberWhole, caller },
    callId: providerCallId === undefined ? undefined : deriveCallId(phoneSystem.id, providerCallId),
    trackingNumber: number === undefined || isNumberWhole ? number : `+${number}`,
    callerNumber: caller.kind === "number" ? caller.number : undefined,
  };
}
