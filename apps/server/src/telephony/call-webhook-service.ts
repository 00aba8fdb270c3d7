import {
  type CallEvidence,
  type CallPlan,
  compareDialSteps,
  type DialInstruction,
  getLegDialStep,
  isCallAnsweredOrOver,
  isCallOver,
  type VoicemailPlan,
} from "@calltrack/domain";
import type { Logger } from "pino";
import type { CallerHasher } from "../api/calls/caller-hasher.js";
import { ABSENT_ACCOUNT_ID } from "../database/idempotency/idempotency-key.js";
import { LogLineLimit } from "../observability/log-line-limit.js";
import type { CallRouter, RoutedCall } from "./answer/call-router.js";
import type { InboundCall } from "./inbound-call.js";
import type { CallReference } from "./report/call-reference.js";
import type { PhoneSystemReport } from "./report/phone-system-report.js";
import type { ReportRecorder } from "./report/report-recorder.js";
import type { TelephonyMetrics } from "./telephony-metrics.js";
import type { WebhookDeadline } from "./webhook-deadline.js";

export interface CallWebhookServiceDependencies {
  readonly router: CallRouter;
  readonly recorder: ReportRecorder;
  readonly keyOf: CallerHasher;
  /** Whether callers' numbers are stored; otherwise, only their hashes are stored. */
  readonly keepsNumbers: boolean;
  readonly metrics: Pick<TelephonyMetrics, "routed">;
  readonly log: Logger;
}

/** Limits log lines, because anyone can call a number thousands of times. Metrics count every call. */
const CALL_LINES = new LogLineLimit(10);

/**
 * If a call started at most this long before its first request, the current route applies. Otherwise, Calltrack looks up the call tracker that held
 * the number when the call started.
 */
const MAX_LOOKUP_MS = 2000;

const UNREADABLE =
  "the caller's number cannot be read: if the phone system sends national numbers, check its country_code and trunk_prefix";

/** Responds to the requests that phone systems send about calls, and records the reported facts. */
export class CallWebhookService {
  readonly #parts: CallWebhookServiceDependencies;

  constructor(parts: CallWebhookServiceDependencies) {
    this.#parts = parts;
  }

  /**
   * Routes a new call, and records it. The promise never rejects.
   *
   * @returns the plan of the call, and the reference that later requests repeat; `reference` is undefined if the call cannot be recorded.
   */
  async answerVoice(call: InboundCall, now: Date, deadline: WebhookDeadline) {
    const { router, metrics } = this.#parts;
    const { phoneSystem, caller, callId, trackingNumber } = call;
    const routed = await router.route(call, now, deadline);
    const { route, plan } = routed;
    metrics.routed(phoneSystem.id, routed.by, caller.kind);
    if (caller.kind === "unreadable") this.#logCall("info", phoneSystem.id, UNREADABLE);
    if (trackingNumber === undefined || callId === undefined) {
      this.#logCall(
        "warn",
        phoneSystem.id,
        "a call was not recorded, because its request lacks the dialed number or the call id",
      );
      return { plan, reference: undefined };
    }
    const accountId = route?.accountId ?? ABSENT_ACCOUNT_ID;
    const startedAt = call.startedAt === undefined ? now : new Date(call.startedAt);
    // Only a plan whose prompt contains the notice records the call.
    const hasNotice = plan.kind === "dial" && plan.dials.some(({ recording }) => recording !== undefined);
    const reference: CallReference = { accountId, callId, startedAt, trackingNumber, leg: "original", hasNotice };
    if (routed.isUnknownNumber)
      this.#logCall(
        "warn",
        phoneSystem.id,
        "a call was not recorded, because the dialed number is not a tracking number",
      );
    else await this.#recordRing(call, reference, routed, now, deadline);
    return { plan, reference };
  }

  /**
   * Records the result of a dial. Returns the next dial or the voicemail; undefined if the call is over. The promise never rejects.
   *
   * The next dial is recorded only if the caller heard the notice: the call flow may request recordings only since the call began, or may have been
   * unavailable then.
   */
  async answerDial(
    call: InboundCall,
    reference: CallReference,
    deadline: WebhookDeadline,
  ): Promise<DialInstruction | VoicemailPlan | undefined> {
    const step = getLegDialStep(reference.leg);
    const result = call.evidence.dialResults?.[step];
    const isDone = result?.outcome === "answered" || call.isCallerGone;
    const plan = isDone ? undefined : await this.#planDials(call, reference, deadline);
    const next = plan?.dials.find((dial) => compareDialSteps(dial.step, step) > 0) ?? plan?.voicemail;
    const continued = { ...result, isContinued: true } as const;
    const evidence = next === undefined ? call.evidence : { dialResults: { [step]: continued } };
    await this.report({ ...call, evidence }, reference, deadline);
    return next !== undefined && "targets" in next && !reference.hasNotice ? { ...next, recording: undefined } : next;
  }

  /** Returns the dial that was answered, with its whisper; undefined if the dial is unknown. The promise never rejects. */
  async findAnswered(
    call: InboundCall,
    reference: CallReference,
    deadline: WebhookDeadline,
  ): Promise<DialInstruction | undefined> {
    const plan = await this.#planDials(call, reference, deadline);
    return plan?.dials.find(({ step }) => step === getLegDialStep(reference.leg));
  }

  /** Records the facts that a request reports about a call. The promise never rejects, and resolves to whether the facts are stored. */
  async report(call: InboundCall, reference: CallReference, deadline: WebhookDeadline): Promise<boolean> {
    const { evidence, isCallerNamed } = call;
    const described = isCallerNamed ? await this.#describe(call, deadline) : undefined;
    return this.#parts.recorder.record(this.#reportOf(call, reference, evidence, described), deadline);
  }

  #logCall(level: "info" | "warn", phoneSystem: string, message: string): void {
    const { log } = this.#parts;
    log[CALL_LINES.levelOf(log, `${phoneSystem} ${message}`, level)]({ phone_system: phoneSystem }, message);
  }

  async #recordRing(
    call: InboundCall,
    reference: CallReference,
    { by, route, plan }: RoutedCall,
    now: Date,
    deadline: WebhookDeadline,
  ): Promise<void> {
    const { recorder } = this.#parts;
    const described = await this.#describe(call, deadline);
    const evidence = { ...call.evidence, ...evidenceOf(plan, now) };
    const report = this.#reportOf(call, reference, evidence, described);
    const isRouteOfStart = now.getTime() - reference.startedAt.getTime() <= MAX_LOOKUP_MS;
    if (by !== "database" || route === undefined) await recorder.keep(report, deadline);
    else await recorder.record(report, deadline, isRouteOfStart ? route : undefined);
  }

  #reportOf(
    { phoneSystem }: InboundCall,
    { accountId, callId, trackingNumber, startedAt }: CallReference,
    evidence: CallEvidence,
    call: PhoneSystemReport["call"],
  ): PhoneSystemReport {
    if (isCallAnsweredOrOver(evidence)) this.#parts.router.noteEnd(callId);
    return {
      ...{ callId, isEnd: isCallOver(evidence), phoneSystemId: phoneSystem.id, accountId, trackingNumber },
      ...{ startedAt: startedAt.toISOString(), call, evidence },
    };
  }

  /**
   * Returns the facts needed to create a call; undefined if the request has no call id. If only hashes of callers' numbers are stored, `callerKey`
   * is undefined until the server has read the hash secret from the database.
   */
  async #describe(
    { providerCallId, callerNumber }: InboundCall,
    deadline: WebhookDeadline,
  ): Promise<PhoneSystemReport["call"]> {
    if (providerCallId === undefined) return undefined;
    const { keyOf, keepsNumbers } = this.#parts;
    if (keepsNumbers || callerNumber === undefined) return { providerCallId, callerNumber, callerKey: undefined };
    const callerKey = await deadline.within("lookup", () => keyOf(callerNumber)).catch(() => undefined);
    return { providerCallId, callerNumber: undefined, callerKey };
  }

  async #planDials(call: InboundCall, { trackingNumber, startedAt }: CallReference, deadline: WebhookDeadline) {
    const plan = await this.#parts.router.planAgain(call, trackingNumber, startedAt, deadline);
    return plan?.kind === "dial" ? plan : undefined;
  }
}

/**
 * Returns the evidence that the plan of a new call gives. A call that is not connected ends at once, because no later report gives its outcome. A
 * report on the caller's leg may give the end time.
 */
function evidenceOf(plan: CallPlan, now: Date): CallEvidence {
  const sentAt = now.toISOString();
  if (plan.kind === "dial") {
    const isPrompted = plan.prompt !== undefined;
    const isRecorded = plan.dials.some(({ recording }) => recording !== undefined);
    const dialed = Object.fromEntries(
      plan.dials.flatMap(({ targets }) => targets.map(({ leg, destination }) => [leg, destination])),
    );
    const answer = { isPrompted, isRecorded, sentAt, dialed };
    if (plan.dials.length > 0) return { answer };
    // The plan has only a voicemail: the call counts as missed unless the caller leaves a message.
    return {
      answer,
      dialResults: { original: { outcome: "missed", endedAt: sentAt, isEndArrival: true, isContinued: true } },
    };
  }
  const end =
    plan.kind === "hang_up"
      ? ({ outcome: "missed" } as const)
      : ({ outcome: "failed", rejectReason: plan.reason } as const);
  return {
    answer: { isPrompted: false, isRecorded: false, sentAt },
    dialResults: { original: { ...end, endedAt: sentAt, isEndArrival: true } },
  };
}
