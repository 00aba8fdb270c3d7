import type { PhoneSystemKind } from "@calltrack/domain";
import { TWIML_TYPE, writeDialTwiml } from "./providers/write-twiml.js";
import type { WebhookPage, WebhookResponse } from "./webhook-page.js";

/** The form field that marks a request of CheckPhoneSystem. Signatures cover it, and phone systems do not send it. */
export const CHECK_FIELD = "CalltrackCheck";

/** Answers an authentic request of CheckPhoneSystem, which is about no call. */
export function answerCheck(kind: PhoneSystemKind, page: WebhookPage): WebhookResponse {
  if (page !== "voice") return { status: 204 };
  if (kind === "sip") return { status: 200, contentType: "application/json", body: '{"action":"check"}' };
  return { status: 200, contentType: TWIML_TYPE, body: writeDialTwiml(kind, undefined, () => "") };
}
