import {
  type CallEvidence,
  findLegEndByDialStatus,
  findLegEndBySipStatus,
  getLegDialStep,
  getRecordedStep,
  type LegEnd,
  type LegName,
  parseLegName,
} from "@calltrack/domain";
import type { WebhookName } from "../webhook-request.js";
import { FormFields, omitUndefinedFields, parseVerstat, readCallerAttestation } from "./form-fields.js";
import type { WebhookContent } from "./webhook-content.js";

/**
 * Reads a request from an operator's own PBX or proxy; docs/phone-systems.md describes its fields. Never throws: unusable fields count as absent.
 *
 * @param retentionMs how long calls are kept. A start before this period counts as absent.
 */
export function readSipWebhook(
  page: WebhookName,
  form: URLSearchParams,
  now: Date,
  retentionMs: number,
): WebhookContent {
  const fields = new FormFields(form, now);
  const evidence =
    page === "status" ? readStatus(fields) : page === "recording" ? readRecording(fields) : readVoice(fields);
  return {
    providerCallId: fields.text("call_id"),
    to: fields.text("to"),
    from: fields.text("from"),
    assertedIdentity: fields.header("asserted_identity"),
    privacy: fields.text("privacy"),
    redirections: readRedirectionHeaders(fields),
    isCallerNamed: fields.text("to") !== undefined,
    reference: fields.text("report"),
    problem: page === "status" ? findStatusProblem(fields) : undefined,
    startedAt: fields.time("started_at", retentionMs),
    evidence,
    isCallerGone: false,
    digits: undefined,
  };
}

function readVoice(fields: FormFields): CallEvidence {
  return readCallerAttestation(parseVerstat(fields.header("asserted_identity")) ?? parseVerstat(fields.text("from")));
}

/** Returns the redirecting numbers, latest first. A redirecting server prepends to the header Diversion, and appends to History-Info. */
function readRedirectionHeaders(fields: FormFields): string | undefined {
  const history = fields.header("history_info")?.split(",").toReversed() ?? [];
  return [fields.header("diversion"), ...history].filter(Boolean).join(",") || undefined;
}

/**
 * Returns a problem if a report on an answered call lacks the step; otherwise undefined. Only the step shows whether the business or its fallback
 * answered.
 */
function findStatusProblem(fields: FormFields): string | undefined {
  const isAnswered = fields.time("answered_at") !== undefined || readEnd(fields)?.outcome === "answered";
  if (fields.text("event") !== "ended" || !isAnswered || readLeg(fields) !== undefined || isVoicemail(fields))
    return undefined;
  return "the report on an answered call lacks the field step: send step=original, or step=fallback if the fallback number was dialed last\n";
}

function readStatus(fields: FormFields): CallEvidence {
  const leg = readLeg(fields);
  const answeredAt = fields.time("answered_at");
  const event = fields.text("event");
  if (event === "answered") {
    const answer =
      answeredAt === undefined ? ({ answeredAt: fields.arrivedAt, isAnswerArrival: true } as const) : { answeredAt };
    return { dialedLegs: { [leg ?? "original"]: answer } };
  }
  if (event !== "ended") return {};
  const stated = fields.time("ended_at");
  const time =
    stated === undefined ? ({ endedAt: fields.arrivedAt, isEndArrival: true } as const) : { endedAt: stated };
  if (isVoicemail(fields)) return { voicemail: time };
  const reportedEnd = readEnd(fields);
  // A report without a step concerns only the caller's leg, because no number was dialed.
  if (leg === undefined) return { callerLeg: { ...(reportedEnd ?? (answeredAt && { outcome: "answered" })), ...time } };
  const end = reportedEnd ?? { outcome: answeredAt === undefined ? "missed" : "answered" };
  const facts = omitUndefinedFields({ ...end, ...time, answeredAt });
  // If the step rang several numbers, the leg shows which number answered, even if the report `answered` is lost.
  return {
    dialResults: { [getLegDialStep(leg)]: facts },
    ...(end.outcome === "answered" && { dialedLegs: { [leg]: facts } }),
  };
}

/** Returns the leg that answered or, if none did, a leg of the step that was dialed last; undefined if no number was dialed. */
function readLeg(fields: FormFields): LegName | undefined {
  return parseLegName(fields.text("step"));
}

function isVoicemail(fields: FormFields): boolean {
  return fields.text("step") === "voicemail";
}

function readEnd(fields: FormFields): LegEnd | undefined {
  const status = fields.count("sip_status");
  if (status !== undefined) return findLegEndBySipStatus(status);
  return findLegEndByDialStatus(fields.text("dial_status") ?? "");
}

function readRecording(fields: FormFields): CallEvidence {
  const url = fields.text("recording_url");
  if (url === undefined || URL.parse(url)?.protocol !== "https:") return {};
  const id = fields.text("recording_id") ?? url;
  const step = isVoicemail(fields) ? { step: "voicemail" as const } : getRecordedStep(readLeg(fields) ?? "original");
  return { recording: { ...step, id, url } };
}
