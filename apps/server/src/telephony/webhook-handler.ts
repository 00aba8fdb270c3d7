import type { PhoneSystemKind } from "@calltrack/domain";
import type { Logger } from "pino";
import { decryptSecrets } from "../api/phone-systems/phone-system-credentials.js";
import type { StoredPhoneSystem } from "../api/phone-systems/phone-system-row.js";
import { NO_ACCOUNT } from "../database/idempotency/request-key.js";
import type { SecretBox } from "../secrets/secret-box.js";
import type { CallWebhooks } from "./call-webhooks.js";
import type { Deadline } from "./deadline.js";
import { type InboundCall, readInboundCall } from "./inbound-call.js";
import { readProviderWebhook } from "./providers/read-provider-webhook.js";
import { readSipWebhook } from "./providers/read-sip-webhook.js";
import { SignedUrls } from "./providers/signed-urls.js";
import { findSignatureProblem, type SignatureProblem } from "./providers/verify-signature.js";
import { writeSipAnswer } from "./providers/write-sip-answer.js";
import {
  TWIML_TYPE,
  type WebhookUrl,
  writeDialTwiml,
  writeFallbackTwiml,
  writeHangupTwiml,
  writeVoiceTwiml,
  writeWhisperTwiml,
} from "./providers/write-twiml.js";
import { type CallReference, parseCallReference, writeCallReference } from "./report/call-reference.js";
import type { WebhookPage, WebhookRequest, WebhookResponse } from "./webhook-page.js";

export interface WebhookHandlerParts {
  readonly webhooks: CallWebhooks;
  /** Undefined if the server has no key to decrypt credentials with. */
  readonly secrets: SecretBox | undefined;
  readonly publicUrl: string;
  /** How long calls are kept. */
  readonly retentionMs: number;
  /** Returns the time of the pool clock. */
  readonly currentTime: () => Promise<Date>;
  readonly log: Logger;
}

/** The form field that marks a request from CheckPhoneSystem. Signatures cover it, and phone systems do not send it. */
export const CHECK_FIELD = "CalltrackCheck";

const RECORDED: WebhookResponse = { status: 204 };

const UNKNOWN_CALL = badReport(
  "the request does not identify its call, or identifies a call from another phone system\n",
);

/** Authenticates and answers the requests from a phone system. */
export type WebhookHandler = ReturnType<typeof createWebhookHandler>;

export function createWebhookHandler(parts: WebhookHandlerParts) {
  const signedUrls = new SignedUrls();
  return {
    /** Returns why a request is not authentic, for the log; undefined if it is authentic. */
    findProblem: (phoneSystem: StoredPhoneSystem, request: WebhookRequest) =>
      findProblem(parts.secrets, signedUrls, phoneSystem, request),
    /** Returns undefined if phone systems of this kind have no such page. */
    async answer(phoneSystem: StoredPhoneSystem, request: WebhookRequest, deadline: Deadline) {
      if (request.form.has(CHECK_FIELD)) return answerCheck(phoneSystem.kind, request.page);
      const now = await deadline.within("lookup", parts.currentTime).catch(() => new Date());
      const answer = phoneSystem.kind === "sip" ? answerPbx : answerProvider;
      try {
        return await answer(parts, phoneSystem, request, now, deadline);
      } catch (error) {
        const lastResort = answerAnyway(phoneSystem, request.page);
        if (lastResort === undefined) throw error;
        parts.log.error({ err: error, phone_system: phoneSystem.id, page: request.page }, "a webhook failed");
        return lastResort;
      }
    },
  };
}

/** Answers an authentic request from CheckPhoneSystem, which is about no call. */
function answerCheck(kind: PhoneSystemKind, page: WebhookPage): WebhookResponse {
  if (page !== "voice") return RECORDED;
  return kind === "sip" ? json('{"action":"check"}') : twiml(writeDialTwiml(kind, undefined, () => ""));
}

/** Returns an answer that depends on nothing else, so that a caller hears ringing even after an unexpected error; undefined for reports. */
function answerAnyway({ kind, fallbackNumber }: StoredPhoneSystem, page: WebhookPage): WebhookResponse | undefined {
  if (page === "status" || page === "recording") return undefined;
  if (kind === "sip") return json(JSON.stringify({ action: "dial", destination: fallbackNumber }));
  return twiml(page === "voice" ? writeFallbackTwiml(fallbackNumber) : writeDialTwiml(kind, undefined, () => ""));
}

function badReport(body: string): WebhookResponse {
  return { status: 400, contentType: "text/plain; charset=utf-8", body };
}

function twiml(body: string): WebhookResponse {
  return { status: 200, contentType: TWIML_TYPE, body };
}

function json(body: string): WebhookResponse {
  return { status: 200, contentType: "application/json", body };
}

/** Phone systems send fewer than a hundred. The limit bounds the cost of a stranger's request, whose signature check parses and sorts them. */
const MAX_FIELDS = 1000;

const SEPARATOR = "&".charCodeAt(0);

const PROBLEMS: Readonly<Record<SignatureProblem, string>> = {
  missing: "it has no credentials or signature",
  wrong:
    "its credentials or signature are wrong: check the stored credential, and that the URLs set at the phone system begin with PUBLIC_URL",
  stale: "its signature is too old: check the clocks",
  unsupported: "it is signed with a shared key that is not stored, or by an unsupported method",
};

function findProblem(
  secrets: SecretBox | undefined,
  signedUrls: SignedUrls,
  { id, kind, credentials, accountSid }: StoredPhoneSystem,
  request: WebhookRequest,
): string | undefined {
  const now = new Date();
  const readable = decryptSecrets(secrets, { id, credentials }, now);
  if (readable.length === 0) return "the credentials of the phone system cannot be decrypted: rotate them";
  if (countFields(request.body) > MAX_FIELDS) return `it has more than ${MAX_FIELDS} fields`;
  const problem = findSignatureProblem(kind, readable, request, now);
  if (problem !== undefined) return PROBLEMS[problem];
  if (kind === "telnyx" && !signedUrls.accept(request)) return "its signature was already used for another URL";
  // Operators may have entered uppercase hexadecimal digits. Providers send lowercase ones.
  const isOwn = accountSid === undefined || request.form.get("AccountSid")?.toLowerCase() === accountSid.toLowerCase();
  return isOwn ? undefined : "its AccountSid is not the account_sid of the phone system";
}

/** Returns an upper bound for the number of fields in a form. */
function countFields(body: Uint8Array): number {
  let count = 1;
  for (const byte of body) if (byte === SEPARATOR) count++;
  return count;
}

async function answerProvider(
  { webhooks, publicUrl }: WebhookHandlerParts,
  phoneSystem: StoredPhoneSystem,
  { page, query, form }: WebhookRequest,
  now: Date,
  deadline: Deadline,
): Promise<WebhookResponse | undefined> {
  const { id, kind } = phoneSystem;
  if (kind === "sip") return undefined;
  const named = parseCallReference(query, now);
  const call = readInboundCall(phoneSystem, readProviderWebhook(kind, page, form, named?.leg ?? "original", now));
  // A request without a call id is identified by its URL alone, which is authenticated.
  const reference = call.callId === undefined || named?.callId === call.callId ? named : undefined;
  const urlsOf =
    (origin: CallReference | undefined): WebhookUrl =>
    (next, leg) =>
      `${publicUrl}/telephony/${id}/${next}${origin === undefined ? "" : `?${writeCallReference(origin, leg)}`}`;
  switch (page) {
    case "voice": {
      const { plan, reference: origin } = await webhooks.answerVoice(call, now, deadline);
      return twiml(writeVoiceTwiml(kind, plan, urlsOf(origin)));
    }
    case "dial": {
      const next = reference && (await webhooks.answerDial(call, reference, deadline));
      return twiml(writeDialTwiml(kind, next, urlsOf(reference)));
    }
    case "whisper": {
      if (reference === undefined) return twiml(writeDialTwiml(kind, undefined, urlsOf(reference)));
      const dial = await webhooks.findAnswered(call, reference, deadline);
      return twiml(writeWhisperTwiml(reference.leg, dial, call.digits, urlsOf(reference)));
    }
    case "voicemail":
      if (reference !== undefined) await report(webhooks, call, reference, deadline);
      return twiml(writeHangupTwiml());
    default:
      // The status URL that is set at the provider contains no call reference.
      return report(webhooks, call, named === undefined ? referenceOf(call, now) : reference, deadline);
  }
}

async function answerPbx(
  { webhooks, retentionMs }: WebhookHandlerParts,
  phoneSystem: StoredPhoneSystem,
  { page, form }: WebhookRequest,
  now: Date,
  deadline: Deadline,
): Promise<WebhookResponse | undefined> {
  if (page === "dial" || page === "whisper" || page === "voicemail") return undefined;
  const call = readInboundCall(phoneSystem, readSipWebhook(page, form, now, retentionMs));
  if (page === "voice") {
    const { plan, reference } = await webhooks.answerVoice(call, now, deadline);
    return json(writeSipAnswer(plan, reference && writeCallReference(reference), call.caller.kind === "withheld"));
  }
  if (call.problem !== undefined) return badReport(call.problem);
  if (call.reference === undefined) return report(webhooks, call, referenceOf(call, now), deadline);
  const named = parseCallReference(call.reference, now);
  return report(webhooks, call, named?.callId === call.callId ? named : undefined, deadline);
}

/** Records the facts that a request reports, if there are any. */
async function report(
  webhooks: CallWebhooks,
  call: InboundCall,
  reference: CallReference | undefined,
  deadline: Deadline,
): Promise<WebhookResponse> {
  if (reference === undefined) return UNKNOWN_CALL;
  if (Object.keys(call.evidence).length > 0) await webhooks.report(call, reference, deadline);
  return RECORDED;
}

/** Creates the reference from the fields of a request about the caller's leg; undefined if they do not identify the call. */
function referenceOf(
  { callId, trackingNumber, isCallerNamed, startedAt }: InboundCall,
  now: Date,
): CallReference | undefined {
  if (callId === undefined || trackingNumber === undefined || !isCallerNamed) return undefined;
  const start = startedAt === undefined ? now : new Date(startedAt);
  return { accountId: NO_ACCOUNT, callId, startedAt: start, trackingNumber, leg: "original" };
}
