import { type CallEvent, type LegOutcome, outcomeOfDialStatus, outcomeOfSipStatus } from "@calltrack/domain";
import { FormFields } from "./form-fields.js";
import type { SipWebhook } from "./webhook.js";

/**
 * Reads a webhook of a PBX or proxy of one's own; docs/phone-systems.md describes its fields. Never throws: unusable fields count as
 * absent.
 */
export function readSipWebhook(page: SipWebhook["page"], form: URLSearchParams, now: Date): SipWebhook {
  const fields = new FormFields(form, now);
  const call = {
    providerCallId: fields.text("call_id"),
    to: fields.text("to"),
    from: fields.text("from"),
    assertedIdentity: fields.text("asserted_identity"),
    privacy: fields.text("privacy"),
    redirections: fields.text("diversion"),
    isCallerNamed: fields.text("to") !== undefined,
  };
  const common = { call, report: fields.text("report") };
  if (page === "voice") return { ...common, page };
  const events = page === "status" ? readStatus(fields, now) : readRecording(fields);
  return { ...common, page, events, startedAt: fields.time("started_at") };
}

function readStatus(fields: FormFields, now: Date): readonly CallEvent[] {
  const step = readStep(fields);
  const answeredAt = fields.time("answered_at");
  const event = fields.text("event");
  if (event === "answered") {
    const leg = { step: step ?? "original", sequence: undefined, end: undefined } as const;
    return [{ kind: "dialed_leg", ...leg, answeredAt: answeredAt ?? now }];
  }
  if (event !== "ended") return [];
  const endedAt = fields.time("ended_at") ?? now;
  const outcome = readOutcome(fields);
  if (step === undefined) return [{ kind: "caller_leg", endedAt, outcome }];
  const result = outcome ?? (answeredAt === undefined ? "missed" : "answered");
  return [{ kind: "dial_result", step, outcome: result, endedAt, answeredAt, durationSeconds: undefined }];
}

/** The number that was dialed last; undefined if none was. */
function readStep(fields: FormFields) {
  const step = fields.text("step");
  return step === "original" || step === "fallback" ? step : undefined;
}

function readOutcome(fields: FormFields): LegOutcome | undefined {
  const status = fields.count("sip_status");
  if (status !== undefined) return outcomeOfSipStatus(status);
  return outcomeOfDialStatus(fields.text("dial_status") ?? "");
}

function readRecording(fields: FormFields): readonly CallEvent[] {
  const url = fields.text("recording_url");
  const recordingId = fields.text("recording_id") ?? url;
  if (recordingId === undefined || URL.parse(url ?? "")?.protocol !== "https:") return [];
  return [
    { kind: "recording", step: readStep(fields) ?? "original", recordingId, url: url as string, expiresAt: undefined },
  ];
}
