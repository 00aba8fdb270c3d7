import {
  type CallEvidence,
  type CallPlan,
  compareSteps,
  type Dial,
  isAnsweredOrOver,
  isOver,
  stepOf,
  type VoicemailPlan,
} from "@calltrack/domain";
import type { Logger } from "pino";
import type { CallerHasher } from "../api/calls/caller-hasher.js";
import { NO_ACCOUNT } from "../database/idempotency/request-key.js";
import { LineLimit } from "../observability/line-limit.js";
import type { CallRouter, RoutedCall } from "./answer/call-router.js";
import type { Deadline } from "./deadline.js";
import type { PresentedCall } from "./presented-call.js";
import type { CallReference } from "./report/call-reference.js";
import type { PhoneReport } from "./report/phone-report.js";
import type { ReportRecorder } from "./report/report-recorder.js";
import type { TelephonyMetrics } from "./telephony-metrics.js";

/** The parts of the webhooks. */
export interface CallWebhookParts {
  readonly router: CallRouter;
  readonly recorder: ReportRecorder;
  readonly keyOf: CallerHasher;
  /** Whether callers' numbers are stored. */
  readonly keepsNumbers: boolean;
  readonly metrics: Pick<TelephonyMetrics, "routed">;
  readonly log: Logger;
}

/** Anyone can call a number, thousands of times. Metrics count all calls. */
const CALL_LINES = new LineLimit(10);

/** How long before its request a call may have started to have the route of now. The holder of an earlier call is looked up. */
const MAX_LOOKUP_MS = 2000;

const UNREADABLE =
  "the caller's number of a call cannot be read: if the phone system sends national numbers, check its country_code and trunk_prefix";

/** Answers the webhooks of phone systems, and records what they report. */
export class CallWebhooks {
  readonly #parts: CallWebhookParts;

  constructor(parts: CallWebhookParts) {
    this.#parts = parts;
  }

  /**
   * Routes a new call, and records it. Never rejects.
   *
   * @returns the plan, and in `reference` the facts that later requests about the call name; undefined if it cannot be recorded.
   */
  async answerVoice(call: PresentedCall, now: Date, deadline: Deadline) {
    const { router, metrics } = this.#parts;
    const { phoneSystem, caller, callId, trackingNumber } = call;
    const routed = await router.route(call, now, deadline);
    const { route, plan } = routed;
    metrics.routed(phoneSystem.id, routed.by, caller.kind);
    if (caller.kind === "unreadable") this.#logCall("info", phoneSystem.id, UNREADABLE);
    if (trackingNumber === undefined || callId === undefined) {
      this.#logCall("warn", phoneSystem.id, "a call without a number or an id was not recorded");
      return { plan, reference: undefined };
    }
    const accountId = route?.accountId ?? NO_ACCOUNT;
    const startedAt = call.startedAt === undefined ? now : new Date(call.startedAt);
    const reference: CallReference = { accountId, callId, startedAt, trackingNumber, leg: "original" };
    if (routed.isUnknownNumber) this.#logCall("warn", phoneSystem.id, "a call to no tracking number was not recorded");
    else await this.#recordRing(call, reference, routed, now, deadline);
    return { plan, reference };
  }

  /** Records the result of a dial, and returns the next dial or the voicemail; undefined if the call is over. Never rejects. */
  async answerDial(
    call: PresentedCall,
    reference: CallReference,
    deadline: Deadline,
  ): Promise<Dial | VoicemailPlan | undefined> {
    const step = stepOf(reference.leg);
    const result = call.evidence.dialResults?.[step];
    const isDone = result?.outcome === "answered" || call.isCallerGone;
    const plan = isDone ? undefined : await this.#planDials(call, reference, deadline);
    const next = plan?.dials.find((dial) => compareSteps(dial.step, step) > 0) ?? plan?.voicemail;
    const continued = { ...result, isContinued: true } as const;
    const evidence = next === undefined ? call.evidence : { dialResults: { [step]: continued } };
    await this.report({ ...call, evidence }, reference, deadline);
    return next;
  }

  /** Returns the dial that was answered, with what to say to the person; undefined if it is unknown. Never rejects. */
  async findAnswered(call: PresentedCall, reference: CallReference, deadline: Deadline): Promise<Dial | undefined> {
    const plan = await this.#planDials(call, reference, deadline);
    return plan?.dials.find(({ step }) => step === stepOf(reference.leg));
  }

  /** Records what a request reports of a call. Never rejects. */
  async report(call: PresentedCall, reference: CallReference, deadline: Deadline): Promise<void> {
    const { evidence, isCallerNamed } = call;
    const described = isCallerNamed ? await this.#describe(call, deadline) : undefined;
    await this.#parts.recorder.record(this.#reportOf(call, reference, evidence, described), deadline);
  }

  #logCall(level: "info" | "warn", phoneSystem: string, message: string): void {
    const { log } = this.#parts;
    log[CALL_LINES.levelOf(log, `${phoneSystem} ${message}`, level)]({ phone_system: phoneSystem }, message);
  }

  async #recordRing(
    call: PresentedCall,
    reference: CallReference,
    { by, route, plan }: RoutedCall,
    now: Date,
    deadline: Deadline,
  ): Promise<void> {
    const { recorder } = this.#parts;
    const described = await this.#describe(call, deadline);
    const evidence = { ...call.evidence, ...evidenceOf(plan, now) };
    const report = this.#reportOf(call, reference, evidence, described);
    if (by !== "database" || route === undefined) return recorder.keep(report, deadline);
    const isRouteOfStart = now.getTime() - reference.startedAt.getTime() <= MAX_LOOKUP_MS;
    await recorder.record(report, deadline, isRouteOfStart ? route : undefined);
  }

  #reportOf(
    { phoneSystem }: PresentedCall,
    { accountId, callId, trackingNumber, startedAt }: CallReference,
    evidence: CallEvidence,
    call: PhoneReport["call"],
  ): PhoneReport {
    if (isAnsweredOrOver(evidence)) this.#parts.router.noteEnd(callId);
    return {
      ...{ callId, isEnd: isOver(evidence), phoneSystemId: phoneSystem.id, accountId, trackingNumber },
      ...{ startedAt: startedAt.toISOString(), call, evidence },
    };
  }

  /**
   * Returns the facts to create a call with; undefined without an id. With hashed callers, a server that has not reached the database yet
   * cannot tell the caller's key.
   */
  async #describe({ providerCallId, callerNumber }: PresentedCall, deadline: Deadline): Promise<PhoneReport["call"]> {
    if (providerCallId === undefined) return undefined;
    const { keyOf, keepsNumbers } = this.#parts;
    if (keepsNumbers || callerNumber === undefined) return { providerCallId, callerNumber, callerKey: undefined };
    const callerKey = await deadline.within("lookup", () => keyOf(callerNumber)).catch(() => undefined);
    return { providerCallId, callerNumber: undefined, callerKey };
  }

  async #planDials(call: PresentedCall, { trackingNumber, startedAt }: CallReference, deadline: Deadline) {
    const plan = await this.#parts.router.planAgain(call, trackingNumber, startedAt, deadline);
    return plan?.kind === "dial" ? plan : undefined;
  }
}

/** A call that is not connected is over at once: no later report tells its outcome. A report of the caller's leg can tell when it ended. */
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
    // Only the voicemail is left: a caller who leaves no message has missed the business.
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
