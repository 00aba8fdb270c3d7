import {
  type CallEvidence,
  type DialStep,
  type LegOutcome,
  outcomeOfDialStatus,
  outcomeOfSipStatus,
} from "@calltrack/domain";
import type { WebhookPage } from "../webhook-page.js";
import { FormFields, knownFacts } from "./form-fields.js";
import type { Webhook } from "./webhook.js";

/**
 * Reads a webhook of a PBX or proxy of one's own; docs/phone-systems.md describes its fields. Never throws: unusable fields count as
 * absent.
 */
export function readSipWebhook(page: WebhookPage, form: URLSearchParams, now: Date): Webhook {
  const fields = new FormFields(form, now);
  const evidence = page === "status" ? readStatus(fields) : page === "recording" ? readRecording(fields) : {};
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
    startedAt: fields.time("started_at"),
    evidence,
    isCallerGone: false,
    digits: undefined,
  };
}

/** Returns the headers that name redirecting numbers. Each number is added to the beginning of Diversion, and to the end of History-Info. */
function readRedirectionHeaders(fields: FormFields): string | undefined {
  const history = fields.header("history_info")?.split(",").toReversed() ?? [];
  return [fields.header("diversion"), ...history].filter(Boolean).join(",") || undefined;
}

/** An answer belongs to the number that was dialed. Without it, nobody could tell whether the business or its fallback has answered. */
function findStatusProblem(fields: FormFields): string | undefined {
  const isAnswered = fields.time("answered_at") !== undefined || readOutcome(fields) === "answered";
  if (fields.text("event") !== "ended" || !isAnswered || readStep(fields) !== undefined) return undefined;
  return "the report of an answered call lacks its step: send step=original, or step=fallback if the fallback number was dialed last\n";
}

function readStatus(fields: FormFields): CallEvidence {
  const step = readStep(fields);
  const answeredAt = fields.time("answered_at");
  const event = fields.text("event");
  if (event === "answered")
    return { dialedLegs: { [step ?? "original"]: { answeredAt: answeredAt ?? fields.arrivedAt } } };
  if (event !== "ended") return {};
  const endedAt = fields.time("ended_at") ?? fields.arrivedAt;
  const outcome = readOutcome(fields);
  if (step === undefined) return { callerLeg: knownFacts({ endedAt, outcome }) };
  const result = outcome ?? (answeredAt === undefined ? "missed" : "answered");
  return { dialResults: { [step]: knownFacts({ outcome: result, endedAt, answeredAt }) } };
}

/** The number that was dialed last; undefined if none was. */
function readStep(fields: FormFields): DialStep | undefined {
  const step = fields.text("step");
  return step === "original" || step === "fallback" ? step : undefined;
}

function readOutcome(fields: FormFields): LegOutcome | undefined {
  const status = fields.count("sip_status");
  if (status !== undefined) return outcomeOfSipStatus(status);
  return outcomeOfDialStatus(fields.text("dial_status") ?? "");
}

function readRecording(fields: FormFields): CallEvidence {
  const url = fields.text("recording_url");
  if (url === undefined || URL.parse(url)?.protocol !== "https:") return {};
  const id = fields.text("recording_id") ?? url;
  return { recording: { ...(readStep(fields) === "fallback" && { step: "fallback" }), id, url } };
}
