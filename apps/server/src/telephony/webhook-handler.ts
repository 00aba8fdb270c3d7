import type { PhoneSystemKind } from "@calltrack/domain";
import type { Logger } from "pino";
import { decryptPhoneSystemSecrets } from "../api/phone-systems/phone-system-credentials.js";
import type { StoredPhoneSystem } from "../api/phone-systems/phone-system-row.js";
import { ABSENT_ACCOUNT_ID } from "../database/idempotency/idempotency-key.js";
import type { SecretBox } from "../secrets/secret-box.js";
import { createFallbackPlan } from "./answer/call-router.js";
import type { CallWebhookService } from "./call-webhook-service.js";
import { type InboundCall, readInboundCall } from "./inbound-call.js";
import { readProviderWebhook } from "./providers/read-provider-webhook.js";
import { readSipWebhook } from "./providers/read-sip-webhook.js";
import { SignatureReplayGuard } from "./providers/signature-replay-guard.js";
import { findSignatureProblem, type SignatureProblem } from "./providers/verify-signature.js";
import { writePbxVoiceResponse } from "./providers/write-pbx-voice-response.js";
import {
  TWIML_CONTENT_TYPE,
  type WebhookUrlBuilder,
  writeDialTwiml,
  writeFallbackTwiml,
  writeHangupTwiml,
  writeVoiceTwiml,
  writeWhisperTwiml,
} from "./providers/write-twiml.js";
import { type CallReference, parseCallReference, writeCallReference } from "./report/call-reference.js";
import type { WebhookDeadline } from "./webhook-deadline.js";
import type { WebhookName, WebhookRequest, WebhookResponse } from "./webhook-request.js";

export interface WebhookHandlerDependencies {
  readonly webhooks: CallWebhookService;
  /** Undefined if the server has no key to decrypt credentials with. */
  readonly secrets: SecretBox | undefined;
  readonly publicUrl: string;
  /** How long calls are kept. */
  readonly retentionMs: number;
  /** Returns the time of the pool clock. */
  readonly currentTime: () => Promise<Date>;
  readonly log: Logger;
}

/** The form field that marks a request from CheckPhoneSystem. Signatures cover the field, and phone systems never send it. */
export const PHONE_SYSTEM_CHECK_FIELD = "CalltrackCheck";

const RECORDED: WebhookResponse = { status: 204 };

const NOT_STORED: WebhookResponse = {
  status: 503,
  contentType: "text/plain; charset=utf-8",
  body: "the report could not be stored in time: send it again\n",
};

const UNKNOWN_CALL = badReport(
  "the request does not identify its call, or identifies a call from another phone system\n",
);

/** Authenticates the requests from a phone system, and creates the responses. */
export type WebhookHandler = ReturnType<typeof createWebhookHandler>;

export function createWebhookHandler(parts: WebhookHandlerDependencies) {
  const replayGuard = new SignatureReplayGuard();
  return {
    /** Returns why a request is not authentic, for the log; undefined if it is authentic. */
    findProblem: (phoneSystem: StoredPhoneSystem, request: WebhookRequest) =>
      findProblem(parts.secrets, replayGuard, phoneSystem, request),
    /** Returns the response to a request; undefined if phone systems of this kind have no webhook with the requested name. */
    async answer(phoneSystem: StoredPhoneSystem, request: WebhookRequest, deadline: WebhookDeadline) {
      if (request.form.has(PHONE_SYSTEM_CHECK_FIELD)) return answerCheck(phoneSystem.kind, request.page);
      const now = await deadline.within("lookup", parts.currentTime).catch(() => new Date());
      const answer = phoneSystem.kind === "sip" ? answerPbx : answerProvider;
      try {
        return await answer(parts, phoneSystem, request, now, deadline);
      } catch (error) {
        const lastResort = answerAnyway(phoneSystem, request.page);
        if (lastResort === undefined) throw error;
        parts.log.error(
          { err: error, phone_system: phoneSystem.id, page: request.page },
          "a request from a phone system caused an unexpected error, and got a fallback answer",
        );
        return lastResort;
      }
    },
  };
}

/** Returns the response to an authentic request from CheckPhoneSystem, which concerns no call. */
function answerCheck(kind: PhoneSystemKind, page: WebhookName): WebhookResponse {
  if (page !== "voice") return RECORDED;
  return kind === "sip" ? json('{"action":"check"}') : twiml(writeDialTwiml(kind, undefined, () => ""));
}

/** Returns a response that needs no call flow, so that a phone rings even after an unexpected error; undefined for status and recording reports. */
function answerAnyway({ kind, fallbackNumber }: StoredPhoneSystem, page: WebhookName): WebhookResponse | undefined {
  if (page === "status" || page === "recording") return undefined;
  if (kind === "sip")
    return json(writePbxVoiceResponse(createFallbackPlan(fallbackNumber, fallbackNumber), undefined, false));
  return twiml(page === "voice" ? writeFallbackTwiml(fallbackNumber) : writeDialTwiml(kind, undefined, () => ""));
}

function badReport(body: string): WebhookResponse {
  return { status: 400, contentType: "text/plain; charset=utf-8", body };
}

function twiml(body: string): WebhookResponse {
  return { status: 200, contentType: TWIML_CONTENT_TYPE, body };
}

function json(body: string): WebhookResponse {
  return { status: 200, contentType: "application/json", body };
}

/**
 * Phone systems send fewer than a hundred fields. The limit bounds the cost of a stranger's request, because the signature check sorts all fields.
 */
const MAX_FIELDS = 1000;

const SEPARATOR = "&".charCodeAt(0);

const PROBLEMS: Readonly<Record<SignatureProblem, string>> = {
  missing: "the request has no credentials or signature",
  wrong:
    "the credentials or signature of the request are wrong: check the stored credential, and that the URLs set at the phone system begin with PUBLIC_URL",
  stale: "the signature of the request is too old: check the clocks of the phone system and the server",
  unsupported:
    "the request is signed with a shared key that is not stored, or by an unsupported method: if Twilio signs with a shared key, rotate the credentials with this key as shared_key",
};

function findProblem(
  secrets: SecretBox | undefined,
  replayGuard: SignatureReplayGuard,
  { id, kind, credentials, accountSid }: StoredPhoneSystem,
  request: WebhookRequest,
): string | undefined {
  const now = new Date();
  const readable = decryptPhoneSystemSecrets(secrets, { id, credentials }, now);
  if (readable.length === 0) return "the credentials of the phone system cannot be decrypted: rotate them";
  if (countFields(request.body) > MAX_FIELDS) return `the request has more than ${MAX_FIELDS} fields`;
  const problem = findSignatureProblem(kind, readable, request, now);
  if (problem !== undefined) return PROBLEMS[problem];
  if (kind === "telnyx" && !replayGuard.accept(request))
    return "the signature of the request was already used for another URL";
  // Operators may have entered uppercase hexadecimal digits. Providers send lowercase digits.
  const isOwn = accountSid === undefined || request.form.get("AccountSid")?.toLowerCase() === accountSid.toLowerCase();
  return isOwn ? undefined : "the AccountSid of the request is not the account_sid of the phone system";
}

/** Returns an upper bound for the number of fields in a form. */
function countFields(body: Uint8Array): number {
  let count = 1;
  for (const byte of body) if (byte === SEPARATOR) count++;
  return count;
}

async function answerProvider(
  { webhooks, publicUrl }: WebhookHandlerDependencies,
  phoneSystem: StoredPhoneSystem,
  { page, query, form }: WebhookRequest,
  now: Date,
  deadline: WebhookDeadline,
): Promise<WebhookResponse | undefined> {
  const { id, kind } = phoneSystem;
  if (kind === "sip") return undefined;
  const named = parseCallReference(query, now);
  const call = readInboundCall(phoneSystem, readProviderWebhook(kind, page, form, named?.leg ?? "original", now));
  // If a request has no call id, its authenticated URL alone identifies the call.
  const reference = call.callId === undefined || named?.callId === call.callId ? named : undefined;
  const urlsOf =
    (origin: CallReference | undefined): WebhookUrlBuilder =>
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
  { webhooks, retentionMs }: WebhookHandlerDependencies,
  phoneSystem: StoredPhoneSystem,
  { page, form }: WebhookRequest,
  now: Date,
  deadline: WebhookDeadline,
): Promise<WebhookResponse | undefined> {
  if (page === "dial" || page === "whisper" || page === "voicemail") return undefined;
  const call = readInboundCall(phoneSystem, readSipWebhook(page, form, now, retentionMs));
  if (page === "voice") {
    const { plan, reference } = await webhooks.answerVoice(call, now, deadline);
    return json(
      writePbxVoiceResponse(plan, reference && writeCallReference(reference), call.caller.kind === "withheld"),
    );
  }
  if (call.problem !== undefined) return badReport(call.problem);
  if (call.reference === undefined) return report(webhooks, call, referenceOf(call, now), deadline);
  const named = parseCallReference(call.reference, now, retentionMs);
  return report(webhooks, call, named?.callId === call.callId ? startEarlier(named, call) : undefined, deadline);
}

/** Returns the reference with the start that the request states, if it is earlier: the voice request may have been late. */
function startEarlier(reference: CallReference | undefined, { startedAt }: InboundCall): CallReference | undefined {
  const start = startedAt === undefined ? undefined : new Date(startedAt);
  return reference && start && start < reference.startedAt ? { ...reference, startedAt: start } : reference;
}

/** Records the facts that a request reports, if there are any. */
async function report(
  webhooks: CallWebhookService,
  call: InboundCall,
  reference: CallReference | undefined,
  deadline: WebhookDeadline,
): Promise<WebhookResponse> {
  if (reference === undefined) return UNKNOWN_CALL;
  if (Object.keys(call.evidence).length === 0) return RECORDED;
  return (await webhooks.report(call, reference, deadline)) ? RECORDED : NOT_STORED;
}

/** Creates the reference from the fields of a request about the caller's leg; undefined if they do not identify the call. */
function referenceOf(
  { callId, trackingNumber, isCallerNamed, startedAt }: InboundCall,
  now: Date,
): CallReference | undefined {
  if (callId === undefined || trackingNumber === undefined || !isCallerNamed) return undefined;
  const start = startedAt === undefined ? now : new Date(startedAt);
  return { accountId: ABSENT_ACCOUNT_ID, callId, startedAt: start, trackingNumber, leg: "original", hasNotice: false };
}
