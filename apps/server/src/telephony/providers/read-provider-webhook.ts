import type { CallEvent, DialStep, LegOutcome } from "@calltrack/domain";
import { FormFields } from "./form-fields.js";
import { PROVIDER_TRAITS, type ProviderKind } from "./provider-traits.js";
import type { DialResult, PresentedFields, ProviderWebhook } from "./webhook.js";

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
 * @param step the step that the URL of the request names; `original` for URLs that are set at the provider.
 */
export function readProviderWebhook(
  kind: ProviderKind,
  page: ProviderWebhook["page"],
  form: URLSearchParams,
  step: DialStep,
  now: Date,
): ProviderWebhook {
  const fields = new FormFields(form, now);
  const call = readCall(fields, page);
  switch (page) {
    case "voice":
      return { call, page };
    case "dial":
      return { call, page, result: readDialResult(kind, fields, now) };
    case "status":
      return {
        call,
        page,
        events: call.isCallerNamed ? readCallerLeg(kind, fields, now) : readDialedLeg(kind, fields, step, now),
      };
    case "recording":
      return { call, page, events: readRecording(kind, fields, step, now) };
    case "whisper":
      return { call, page, digits: fields.text("Digits") };
  }
}

/**
 * The requests of a dialed leg name the caller's leg as their parent; its id is that of the call. A request without `ParentCallSid` has no
 * id of the call.
 */
function readCall(fields: FormFields, page: ProviderWebhook["page"]): PresentedFields {
  const isDialedLeg = page === "whisper" || (page === "status" && isOutbound(fields));
  const redirections = [fields.text("ForwardedFrom"), fields.text("SipHeader_Diversion")].filter(Boolean);
  return {
    providerCallId: fields.text(isDialedLeg ? "ParentCallSid" : "CallSid"),
    to: fields.text("To") ?? fields.text("Called"),
    from: fields.text("From") ?? fields.text("Caller"),
    assertedIdentity: fields.text("SipHeader_P-Asserted-Identity"),
    privacy: fields.text("SipHeader_Privacy"),
    redirections: redirections.join(",") || undefined,
    isCallerNamed: !isDialedLeg && page !== "recording",
  };
}

function isOutbound(fields: FormFields): boolean {
  return fields.text("ParentCallSid") !== undefined || (fields.text("Direction")?.startsWith("outbound") ?? false);
}

function readDialResult(kind: ProviderKind, fields: FormFields, now: Date): DialResult {
  const status = fields.text("DialCallStatus") ?? "";
  const outcome = CONNECTED.has(status) ? "answered" : (OUTCOMES.get(status) ?? "failed");
  // The person who answered did not take the call in the whisper.
  const isDeclined = outcome === "answered" && fields.text("DialBridged") === "false";
  return {
    outcome: isDeclined ? "missed" : outcome,
    endedAt: eventTime(kind, fields, now),
    answeredAt: undefined,
    durationSeconds: fields.count("DialCallDuration"),
    isCallerGone: status === "canceled" || OUTCOMES.has(fields.text("CallStatus") ?? ""),
  };
}

/** The caller's leg: its `completed` says nothing of the business, because a prompt answers the call. */
function readCallerLeg(kind: ProviderKind, fields: FormFields, now: Date): readonly CallEvent[] {
  const status = fields.text("CallStatus") ?? "";
  const outcome = OUTCOMES.get(status);
  if (outcome === undefined) return [];
  const endedAt = eventTime(kind, fields, now);
  return [{ kind: "caller_leg", endedAt, outcome: outcome === "answered" ? undefined : outcome }];
}

function readDialedLeg(kind: ProviderKind, fields: FormFields, step: DialStep, now: Date): readonly CallEvent[] {
  const status = fields.text("CallStatus") ?? "";
  const at = eventTime(kind, fields, now);
  const leg = { kind: "dialed_leg", step, sequence: fields.count("SequenceNumber") } as const;
  if (CONNECTED.has(status)) return [{ ...leg, answeredAt: at, end: undefined }];
  const answeredAt = fields.time("AnsweredTime");
  const cause = status === "completed" && !answeredAt ? HANGUP_CAUSES.get(fields.text("HangupCause") ?? "") : undefined;
  const outcome = cause ?? OUTCOMES.get(status);
  return outcome === undefined ? [] : [{ ...leg, answeredAt, end: { at, outcome } }];
}

/** The time of the reported event, else that of arrival. */
function eventTime(kind: ProviderKind, fields: FormFields, now: Date): Date {
  return (PROVIDER_TRAITS[kind].hasEventTimes ? fields.time("Timestamp") : undefined) ?? now;
}

function readRecording(kind: ProviderKind, fields: FormFields, step: DialStep, now: Date): readonly CallEvent[] {
  const url = fields.text("RecordingUrl");
  const recordingId = fields.text("RecordingSid");
  const isComplete = fields.text("RecordingStatus") === "completed";
  if (!isComplete || recordingId === undefined || URL.parse(url ?? "")?.protocol !== "https:") return [];
  const linkMs = PROVIDER_TRAITS[kind].recordingLinkMs;
  const expiresAt = linkMs === undefined ? undefined : new Date(now.getTime() + linkMs);
  return [{ kind: "recording", step, recordingId, url: url as string, expiresAt }];
}
