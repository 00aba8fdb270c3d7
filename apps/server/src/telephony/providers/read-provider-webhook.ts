import type { CallEvidence, DialStep, LegOutcome } from "@calltrack/domain";
import type { WebhookPage } from "../webhook-page.js";
import { FormFields, knownFacts } from "./form-fields.js";
import { PROVIDER_TRAITS, type ProviderKind } from "./provider-traits.js";
import type { Webhook } from "./webhook.js";

/** The outcomes of legs that are over, by their status. `completed` says so only of a dialed leg. */
const OUTCOMES: ReadonlyMap<string, LegOutcome> = new Map([
  ["completed", "answered"],
  ["busy", "busy"],
  ["no-answer", "missed"],
  ["canceled", "missed"],
  ["failed", "failed"],
]);

/** The statuses of a leg that is connected. */
const CONNECTED = new Set(["in-progress", "answered"]);

/** The outcomes of completed legs that nobody answered, by the cause that Telnyx documents. */
const HANGUP_CAUSES: ReadonlyMap<string, LegOutcome> = new Map([
  ["user_busy", "busy"],
  ["call_rejected", "busy"],
  ["no_answer", "missed"],
  ["timeout", "missed"],
  ["originator_cancel", "missed"],
  ["not_found", "failed"],
]);

/**
 * Reads a webhook of a provider. Never throws: fields that are unusable count as absent, and unknown ones are ignored.
 *
 * The requests of a dialed leg name the caller's leg as their parent; its id is that of the call. A request without `ParentCallSid` has no
 * id of the call.
 *
 * @param step the step that the URL of the request names; `original` for URLs that are set at the provider.
 */
export function readProviderWebhook(
  kind: ProviderKind,
  page: WebhookPage,
  form: URLSearchParams,
  step: DialStep,
  now: Date,
): Webhook {
  const fields = new FormFields(form, now);
  const isDialedLeg = page === "whisper" || (page === "status" && isOutbound(fields));
  const redirections = [fields.text("ForwardedFrom"), fields.header("SipHeader_Diversion")].filter(Boolean);
  const evidence = readEvidence(kind, page, fields, { step, isDialedLeg });
  return {
    providerCallId: fields.text(isDialedLeg ? "ParentCallSid" : "CallSid"),
    to: fields.text("To") ?? fields.text("Called"),
    from: fields.text("From") ?? fields.text("Caller"),
    assertedIdentity: fields.text("SipHeader_P-Asserted-Identity"),
    privacy: fields.text("SipHeader_Privacy"),
    redirections: redirections.join(",") || undefined,
    isCallerNamed: !isDialedLeg && page !== "recording",
    ...{ reference: undefined, problem: undefined },
    startedAt: readStart(fields, evidence),
    evidence,
    isCallerGone: fields.text("DialCallStatus") === "canceled" || OUTCOMES.has(fields.text("CallStatus") ?? ""),
    digits: fields.text("Digits"),
  };
}

function isOutbound(fields: FormFields): boolean {
  return fields.text("ParentCallSid") !== undefined || (fields.text("Direction")?.startsWith("outbound") ?? false);
}

function readEvidence(
  kind: ProviderKind,
  page: WebhookPage,
  fields: FormFields,
  { step, isDialedLeg }: { readonly step: DialStep; readonly isDialedLeg: boolean },
): CallEvidence {
  if (page === "dial") return readDialResult(kind, fields, step);
  if (page === "recording") return readRecording(kind, fields, step);
  if (page !== "status") return {};
  return isDialedLeg ? readDialedLeg(kind, fields, step) : readCallerLeg(kind, fields);
}

function readDialResult(kind: ProviderKind, fields: FormFields, step: DialStep): CallEvidence {
  const status = fields.text("DialCallStatus") ?? "";
  const reported = CONNECTED.has(status) ? "answered" : (OUTCOMES.get(status) ?? "failed");
  // The person who answered did not take the call in the whisper.
  const isDeclined = reported === "answered" && fields.text("DialBridged") === "false";
  const outcome = isDeclined ? "missed" : reported;
  const durationSeconds = fields.count("DialCallDuration");
  return { dialResults: { [step]: knownFacts({ outcome, endedAt: eventTime(kind, fields), durationSeconds }) } };
}

/** The caller's leg: its `completed` says nothing of the business, because a prompt answers the call. */
function readCallerLeg(kind: ProviderKind, fields: FormFields): CallEvidence {
  const reported = OUTCOMES.get(fields.text("CallStatus") ?? "");
  if (reported === undefined) return {};
  const outcome = reported === "answered" ? undefined : reported;
  return { callerLeg: knownFacts({ endedAt: eventTime(kind, fields), outcome }) };
}

function readDialedLeg(kind: ProviderKind, fields: FormFields, step: DialStep): CallEvidence {
  const status = fields.text("CallStatus") ?? "";
  const at = eventTime(kind, fields);
  if (CONNECTED.has(status)) return { dialedLegs: { [step]: { answeredAt: at } } };
  const answeredAt = fields.time("AnsweredTime");
  const cause = status === "completed" && !answeredAt ? HANGUP_CAUSES.get(fields.text("HangupCause") ?? "") : undefined;
  const outcome = cause ?? OUTCOMES.get(status);
  if (outcome === undefined) return {};
  const sequence = fields.count("SequenceNumber");
  return { dialedLegs: { [step]: knownFacts({ sequence, answeredAt, endedAt: at, outcome }) } };
}

/** The time of the reported event, else that of arrival. */
function eventTime(kind: ProviderKind, fields: FormFields): string {
  return (PROVIDER_TRAITS[kind].hasEventTimes ? fields.time("Timestamp") : undefined) ?? fields.arrivedAt;
}

/** Returns when a call started whose caller's leg has ended: its duration before the end. */
function readStart(fields: FormFields, { callerLeg }: CallEvidence): string | undefined {
  const seconds = fields.count("CallDuration") ?? 0;
  if (callerLeg?.endedAt === undefined) return undefined;
  const durationMs = seconds < MAX_SECONDS ? seconds * 1000 : 0;
  return new Date(Date.parse(callerLeg.endedAt) - durationMs).toISOString();
}

/** A longer call is a mistake. */
const MAX_SECONDS = 86_400;

function readRecording(kind: ProviderKind, fields: FormFields, step: DialStep): CallEvidence {
  const url = fields.text("RecordingUrl");
  const id = fields.text("RecordingSid");
  const isComplete = fields.text("RecordingStatus") === "completed";
  if (!isComplete || id === undefined || url === undefined || URL.parse(url)?.protocol !== "https:") return {};
  const linkMs = PROVIDER_TRAITS[kind].recordingLinkMs;
  const expiry = linkMs !== undefined && {
    expiresAt: new Date(Date.parse(fields.arrivedAt) + linkMs).toISOString(),
  };
  return { recording: { ...(step === "fallback" && { step }), id, url, ...expiry } };
}
