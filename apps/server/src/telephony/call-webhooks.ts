import type { CallEvent, CallPlan, Dial } from "@calltrack/domain";
import type { Logger } from "pino";
import type { CallerHasher } from "../api/calls/caller-hasher.js";
import { NO_ACCOUNT } from "../database/idempotency/request-key.js";
import { type CallOrigin, type CallReference, callIdOf } from "./call-reference.js";
import { type CallReport, hasEnd, type ReportedCall } from "./call-report.js";
import { type CallRouter, type PresentedCall, type RoutedCall, readPresented } from "./call-router.js";
import type { Deadline } from "./deadline.js";
import type { EventRecorder } from "./event-recorder.js";
import type { DialResult } from "./providers/webhook.js";
import type { TelephonyMetrics } from "./telephony-metrics.js";

/** The parts of the webhooks. */
export interface CallWebhookParts {
  readonly router: CallRouter;
  readonly recorder: EventRecorder;
  readonly keyOf: CallerHasher;
  /** Whether callers' numbers are stored. */
  readonly keepsNumbers: boolean;
  readonly metrics: Pick<TelephonyMetrics, "routed">;
  readonly log: Logger;
}

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
   * @returns the plan, whether the caller withheld the number, and in `reference` the facts that later requests about the call name; undefined if it cannot be
   *   recorded.
   */
  async answerVoice(call: PresentedCall, now: Date, deadline: Deadline) {
    const { router, metrics, log } = this.#parts;
    const { phoneSystem } = call;
    const routed = await router.route(call, now, deadline);
    const { route, trackingNumber, caller, plan } = routed;
    const answer = { plan, isWithheld: caller.kind === "withheld" };
    metrics.routed(phoneSystem.id, routed.by, caller.kind);
    if (caller.kind === "unreadable") log.info({ phone_system: phoneSystem.id, caller: caller.kind }, UNREADABLE);
    const { providerCallId } = call;
    if (trackingNumber === undefined || providerCallId === undefined) {
      log.warn({ phone_system: phoneSystem.id }, "a call without a number or an id was not recorded");
      return { ...answer, reference: undefined };
    }
    const callId = callIdOf(phoneSystem.id, providerCallId);
    const reference = { accountId: route?.accountId ?? NO_ACCOUNT, callId, startedAt: now, trackingNumber };
    if (routed.isUnknownNumber)
      log.warn({ phone_system: phoneSystem.id }, "a call to no tracking number was not recorded");
    else await this.#recordRing(call, providerCallId, reference, routed, deadline);
    return { ...answer, reference };
  }

  /** Records the result of dialing a number, and returns the number to dial next; undefined if the call is over. Never rejects. */
  async answerDial(call: PresentedCall, reference: CallReference, result: DialResult, deadline: Deadline) {
    const { isCallerGone, ...leg } = result;
    const isOver = leg.outcome === "answered" || isCallerGone || reference.step === "fallback";
    const dials = isOver ? [] : await this.#findDials(call, reference, deadline);
    const next = dials.find(({ step }) => step === "fallback");
    const event = { kind: "dial_result", step: reference.step, ...leg, isContinued: next !== undefined } as const;
    await this.report(call, reference, [event], deadline);
    return next;
  }

  /** Returns the number that answered, with what to say to the person; undefined if it is unknown. Never rejects. */
  async findAnswered(call: PresentedCall, reference: CallReference, deadline: Deadline): Promise<Dial | undefined> {
    return (await this.#findDials(call, reference, deadline)).find(({ step }) => step === reference.step);
  }

  /** Records events of a call. Never rejects. */
  async report(
    call: PresentedCall,
    reference: CallOrigin,
    events: readonly CallEvent[],
    deadline: Deadline,
  ): Promise<void> {
    const { providerCallId } = call;
    this.#parts.router.noteEvents(reference.callId, events);
    const created =
      providerCallId !== undefined && call.isCallerNamed
        ? await this.#describe(providerCallId, readPresented(call).callerNumber, undefined, deadline)
        : undefined;
    await this.#parts.recorder.record(reportOf(call, reference, events, created), deadline);
  }

  async #recordRing(
    call: PresentedCall,
    providerCallId: string,
    reference: CallOrigin,
    { by, route, caller, plan }: RoutedCall,
    deadline: Deadline,
  ): Promise<void> {
    const { router, recorder } = this.#parts;
    const events = eventsOf(plan, reference.startedAt);
    router.noteEvents(reference.callId, events);
    const number = caller.kind === "number" ? caller.number : undefined;
    const described = await this.#describe(providerCallId, number, doneBy(plan), deadline);
    const report = reportOf(call, reference, events, described);
    if (by !== "database" || route === undefined) return recorder.keep(report, deadline);
    await recorder.record(report, deadline, route);
  }

  /** With hashed callers, a server that has not reached the database yet cannot tell the caller's key. */
  async #describe(
    providerCallId: string,
    caller: string | undefined,
    done: ReportedCall["done"],
    deadline: Deadline,
  ): Promise<ReportedCall> {
    const { keyOf, keepsNumbers } = this.#parts;
    if (keepsNumbers || caller === undefined)
      return { providerCallId, callerNumber: caller, callerKey: undefined, done };
    const callerKey = await deadline.within("lookup", () => keyOf(caller)).catch(() => undefined);
    return { providerCallId, callerNumber: undefined, callerKey, done };
  }

  async #findDials(call: PresentedCall, { trackingNumber, startedAt }: CallReference, deadline: Deadline) {
    const plan = await this.#parts.router.planAgain(call, trackingNumber, startedAt, deadline);
    return plan?.kind === "dial" ? plan.dials : [];
  }
}

function reportOf(
  { phoneSystem }: PresentedCall,
  { accountId, callId, trackingNumber, startedAt }: CallOrigin,
  events: readonly CallEvent[],
  call: ReportedCall | undefined,
): CallReport {
  return {
    ...{ callId, isEnd: hasEnd(events), phoneSystemId: phoneSystem.id, accountId, trackingNumber },
    ...{ startedAt: startedAt.toISOString(), call, events },
  };
}

/** A call that is not connected is over at once: no later report tells its outcome. */
function eventsOf(plan: CallPlan, endedAt: Date): readonly CallEvent[] {
  if (plan.kind === "dial") return [{ kind: "ring" }];
  const end = {
    kind: "dial_result",
    step: "original",
    endedAt,
    answeredAt: undefined,
    durationSeconds: undefined,
  } as const;
  if (plan.kind === "hang_up") return [{ ...end, outcome: "missed" }];
  return [{ ...end, outcome: "failed", rejectReason: plan.reason }];
}

function doneBy(plan: CallPlan): ReportedCall["done"] {
  if (plan.kind !== "dial") return { isPrompted: false, isRecorded: false };
  return {
    isPrompted: plan.prompt !== undefined,
    isRecorded: plan.dials.some(({ recording }) => recording !== undefined),
  };
}
