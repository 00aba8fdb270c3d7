import {
  ABANDONED_LEG_END,
  type CallEvidence,
  getLegDialStep,
  getRecordedStep,
  type LegEnd,
  type LegEvidence,
  type LegName,
  type RecordingEvidence,
} from "@calltrack/domain";
import type { WebhookName } from "../webhook-request.js";
import { FormFields, omitUndefinedFields, parseVerstat, readCallerAttestation } from "./form-fields.js";
import { PROVIDER_TRAITS, type ProviderKind } from "./provider-traits.js";
import type { WebhookContent } from "./webhook-content.js";

/** The end of a leg, keyed by its `CallStatus` or `DialCallStatus`. `completed` means answered only for a dialed leg. */
const ENDS: ReadonlyMap<string, LegEnd> = new Map([
  ["completed", { outcome: "answered" }],
  ["busy", { outcome: "busy" }],
  ["no-answer", { outcome: "missed" }],
  ["canceled", ABANDONED_LEG_END],
  ["failed", { outcome: "failed" }],
]);

/** The minimum length of a voicemail message. A shorter recording contains no message, because the caller hung up at the tone. */
const MIN_MESSAGE_SECONDS = 2;

const CONNECTED = new Set(["in-progress", "answered"]);

/** The end of a completed leg that nobody answered, keyed by the `HangupCause` that Telnyx documents. */
const HANGUP_CAUSES: ReadonlyMap<string, LegEnd> = new Map([
  ["user_busy", { outcome: "busy" }],
  ["call_rejected", { outcome: "busy" }],
  ["no_answer", { outcome: "missed" }],
  ["timeout", { outcome: "missed" }],
  ["originator_cancel", ABANDONED_LEG_END],
  ["not_found", { outcome: "failed" }],
]);

/**
 * Reads a request from a provider. Never throws: unusable fields count as absent, and unknown ones are ignored.
 *
 * A request about a dialed leg has the id of the call in `ParentCallSid`. Without this field, such a request has no call id.
 *
 * @param leg the leg that the URL of the request names; `original` for URLs that are set at the provider.
 */
export function readProviderWebhook(
  kind: ProviderKind,
  page: WebhookName,
  form: URLSearchParams,
  leg: LegName,
  now: Date,
): WebhookContent {
  const fields = new FormFields(form, now);
  const isDialedLeg = page === "whisper" || (page === "status" && isOutbound(fields));
  // The callbacks about recordings do not contain the caller's number.
  const isRecordingCallback =
    page === "recording" || (page === "voicemail" && fields.text("RecordingStatus") !== undefined);
  const redirections = [fields.text("ForwardedFrom"), fields.header("SipHeader_Diversion")].filter(Boolean);
  const evidence = readEvidence(kind, page, fields, { leg, isDialedLeg });
  return {
    providerCallId: fields.text(isDialedLeg ? "ParentCallSid" : "CallSid"),
    to: fields.text("To") ?? fields.text("Called"),
    from: fields.text("From") ?? fields.text("Caller"),
    assertedIdentity: fields.text("SipHeader_P-Asserted-Identity"),
    privacy: fields.text("SipHeader_Privacy"),
    redirections: redirections.join(",") || undefined,
    isCallerNamed: !isDialedLeg && !isRecordingCallback,
    ...{ reference: undefined, problem: undefined },
    startedAt: isDialedLeg ? undefined : readStart(kind, fields, evidence),
    evidence,
    isCallerGone: fields.text("DialCallStatus") === "canceled" || ENDS.has(fields.text("CallStatus") ?? ""),
    digits: fields.text("Digits"),
  };
}

function isOutbound(fields: FormFields): boolean {
  return fields.text("ParentCallSid") !== undefined || (fields.text("Direction")?.startsWith("outbound") ?? false);
}

function readEvidence(
  kind: ProviderKind,
  page: WebhookName,
  fields: FormFields,
  { leg, isDialedLeg }: { readonly leg: LegName; readonly isDialedLeg: boolean },
): CallEvidence {
  if (page === "dial") return readDialResult(kind, fields, leg);
  if (page === "recording") return isRecordingComplete(fields) ? readRecording(kind, fields, getRecordedStep(leg)) : {};
  if (page === "voicemail") return readVoicemail(kind, fields);
  if (page === "voice")
    return readCallerAttestation(
      fields.text("StirVerstat") ?? parseVerstat(fields.text("SipHeader_P-Asserted-Identity")),
    );
  if (page !== "status") return {};
  return isDialedLeg ? readDialedLeg(kind, fields, leg) : readCallerLeg(kind, fields);
}

function readDialResult(kind: ProviderKind, fields: FormFields, leg: LegName): CallEvidence {
  const status = fields.text("DialCallStatus") ?? "";
  const reported: LegEnd = CONNECTED.has(status)
    ? { outcome: "answered" }
    : (ENDS.get(status) ?? { outcome: "failed" });
  // The person who answered declined the call during the whisper.
  const isDeclined = reported.outcome === "answered" && fields.text("DialBridged") === "false";
  const end = isDeclined ? ({ outcome: "missed" } as const) : reported;
  const durationSeconds = fields.seconds("DialCallDuration");
  return {
    dialResults: { [getLegDialStep(leg)]: omitUndefinedFields({ ...end, ...endTime(kind, fields), durationSeconds }) },
  };
}

/** Reads a report about the caller's leg. The status `completed` does not mean that the business answered, because a prompt also answers the call. */
function readCallerLeg(kind: ProviderKind, fields: FormFields): CallEvidence {
  const reported = ENDS.get(fields.text("CallStatus") ?? "");
  if (reported === undefined) return {};
  return { callerLeg: { ...(reported.outcome !== "answered" && reported), ...endTime(kind, fields) } };
}

function readDialedLeg(kind: ProviderKind, fields: FormFields, leg: LegName): CallEvidence {
  const status = fields.text("CallStatus") ?? "";
  const { endedAt, isEndArrival: isAnswerArrival } = endTime(kind, fields);
  if (CONNECTED.has(status))
    return { dialedLegs: { [leg]: omitUndefinedFields({ answeredAt: endedAt, isAnswerArrival }) } };
  const answeredAt = fields.time("AnsweredTime");
  const cause = status === "completed" && !answeredAt ? HANGUP_CAUSES.get(fields.text("HangupCause") ?? "") : undefined;
  const end = cause ?? ENDS.get(status);
  if (end === undefined) return {};
  const sequence = fields.count("SequenceNumber");
  const durationSeconds = end.outcome === "answered" ? fields.seconds("CallDuration") : undefined;
  const facts = { sequence, answeredAt, ...end, ...endTime(kind, fields), durationSeconds };
  return { dialedLegs: { [leg]: omitUndefinedFields(facts) } };
}

/** Returns when the reported event happened, as an end time: the provider's time or, if it is absent, the time of arrival. */
function endTime(kind: ProviderKind, fields: FormFields): Pick<LegEvidence, "endedAt" | "isEndArrival"> {
  const stated = PROVIDER_TRAITS[kind].hasEventTimes ? fields.time("Timestamp") : undefined;
  return stated === undefined ? { endedAt: fields.arrivedAt, isEndArrival: true } : { endedAt: stated };
}

/** Returns when a call started: the provider's time or, if the caller's leg has ended, its end minus its duration; otherwise undefined. */
function readStart(kind: ProviderKind, fields: FormFields, { callerLeg }: CallEvidence): string | undefined {
  const created = PROVIDER_TRAITS[kind].hasEventTimes ? undefined : fields.time("Timestamp");
  if (created !== undefined) return created;
  if (callerLeg?.endedAt === undefined) return undefined;
  return new Date(Date.parse(callerLeg.endedAt) - (fields.seconds("CallDuration") ?? 0) * 1000).toISOString();
}

/** Reads the result of `<Record>`, which has no `RecordingStatus`, or a later request with the status of the recording. */
function readVoicemail(kind: ProviderKind, fields: FormFields): CallEvidence {
  const seconds = fields.seconds("RecordingDuration") ?? MIN_MESSAGE_SECONDS;
  const isMessage =
    seconds >= MIN_MESSAGE_SECONDS && (fields.text("RecordingStatus") === undefined || isRecordingComplete(fields));
  const { recording } = isMessage ? readRecording(kind, fields, { step: "voicemail" }) : {};
  return { ...readCallerLeg(kind, fields), ...(recording && { recording, voicemail: endTime(kind, fields) }) };
}

function isRecordingComplete(fields: FormFields): boolean {
  return fields.text("RecordingStatus") === "completed";
}

function readRecording(kind: ProviderKind, fields: FormFields, step: Pick<RecordingEvidence, "step">): CallEvidence {
  const url = fields.text("RecordingUrl");
  const id = fields.text("RecordingSid");
  if (id === undefined || url === undefined || URL.parse(url)?.protocol !== "https:") return {};
  const linkMs = PROVIDER_TRAITS[kind].recordingLinkMs;
  const expiry = linkMs !== undefined && {
    expiresAt: new Date(Date.parse(fields.arrivedAt) + linkMs).toISOString(),
  };
  return { recording: { ...step, id, url, ...expiry } };
}
