import {
  type CallEvent,
  type Caller,
  type CallPlan,
  type CallRoute,
  type CallSituation,
  findLoop,
  planCall,
  REPEATED,
  readCaller,
  readDialledNumber,
  readRedirections,
} from "@calltrack/domain";
import { type Executor, isDatabaseUnavailable } from "@calltrack/postgres";
import type { Logger } from "pino";
import { findCallRoute, findCallRoutes } from "../api/call-flows/call-route.js";
import type { StoredPhoneSystem } from "../api/phone-systems/phone-system-row.js";
import { callIdOf } from "./call-reference.js";
import { hasAnswer, hasEnd } from "./call-report.js";
import type { Deadline } from "./deadline.js";
import type { PresentedFields } from "./providers/webhook.js";
import { RepeatedCalls } from "./repeated-calls.js";
import type { RoutingCache } from "./routing-cache.js";
import type { RoutedBy } from "./telephony-metrics.js";

/** A call as its phone system presents it. */
export interface PresentedCall extends PresentedFields {
  readonly phoneSystem: StoredPhoneSystem;
}

/** A call with its plan. */
export interface RoutedCall {
  readonly by: RoutedBy;
  /** Undefined if the number is unknown, or if neither the database nor the cache could tell. */
  readonly route: CallRoute | undefined;
  /** Whether the database has no such number. */
  readonly isUnknownNumber: boolean;
  /** In E.164 format; undefined if the request names no number. */
  readonly trackingNumber: string | undefined;
  readonly caller: Caller;
  readonly plan: CallPlan;
}

/** How long the phone system's fallback number rings. */
const FALLBACK_RING_SECONDS = 60;

const MAX_SECONDS = 4 * 60 * 60;

/** How long after a failed lookup calls wait only briefly for the database. */
const IMPATIENCE_MS = 2000;

/** Decides where calls go: by the database, else by the cache, else to the phone system's fallback number. */
export class CallRouter {
  readonly #db: Executor;
  readonly #cache: RoutingCache<StoredPhoneSystem>;
  readonly #log: Logger;
  readonly #repeated = new RepeatedCalls();
  /** When the last lookup failed, as of `performance.now()`. */
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(db: Executor, cache: RoutingCache<StoredPhoneSystem>, log: Logger) {
    this.#db = db;
    this.#cache = cache;
    this.#log = log;
  }

  /** Routes a new call. Never rejects. */
  async route(call: PresentedCall, now: Date, deadline: Deadline): Promise<RoutedCall> {
    const { phoneSystem } = call;
    const { trackingNumber, caller: read, callerNumber: caller } = readPresented(call);
    const redirections = readRedirections(call.redirections, phoneSystem);
    const others = [...(caller === undefined ? [] : [caller]), ...redirections];
    const { by, route, routes } = await this.#find(trackingNumber, others, deadline);
    const loop = route && findLoop(route, { caller, redirections }, (number) => routes.get(number));
    const rejection = loop ?? (this.#isRepeated(call, caller, trackingNumber) ? REPEATED : undefined);
    const plan =
      this.#plan(route, { phoneSystem, caller, rejection, now }) ??
      planFallback(phoneSystem, { callerId: caller ?? shownNumber(call, route), trackingNumber, rejection });
    const isUnknownNumber = by === "database" && route === undefined;
    return { by: route === undefined ? "fallback" : by, route, isUnknownNumber, trackingNumber, caller: read, plan };
  }

  /** Returns the plan of a call that was routed before; undefined if neither the database nor the cache can tell. Never rejects. */
  async planAgain(call: PresentedCall, trackingNumber: string, startedAt: Date, deadline: Deadline) {
    const { phoneSystem } = call;
    const { route } = await this.#find(trackingNumber, [], deadline);
    const { callerNumber: caller } = readPresented(call);
    return this.#plan(route, { phoneSystem, caller, rejection: undefined, now: startedAt });
  }

  /** Returns undefined without a route, or if the call flow cannot be executed: a caller hears a ring also then. */
  #plan(route: CallRoute | undefined, situation: Omit<CallSituation, "route">): CallPlan | undefined {
    try {
      return route && planCall({ route, ...situation });
    } catch (error) {
      this.#log.error({ err: error, pool_id: route?.poolId }, "the call flow of a pool cannot be executed");
      return undefined;
    }
  }

  /** Notes reported events of a call, so that a call that was answered or has ended does not count as part of a loop. */
  noteEvents(callId: string, events: readonly CallEvent[]): void {
    if (hasAnswer(events) || hasEnd(events)) this.#repeated.noteReport(callId);
  }

  #isRepeated({ phoneSystem, providerCallId }: PresentedCall, caller?: string, trackingNumber?: string): boolean {
    if (providerCallId === undefined || caller === undefined || trackingNumber === undefined) return false;
    return this.#repeated.isRepeated(caller, trackingNumber, callIdOf(phoneSystem.id, providerCallId));
  }

  /** Finds the route of a number, and in `routes` those of other numbers that are tracking numbers. */
  async #find(number: string | undefined, others: readonly string[], deadline: Deadline) {
    try {
      const isImpatient = performance.now() - this.#failedAt < IMPATIENCE_MS;
      const [route, routes] = await deadline.within(isImpatient ? "impatientLookup" : "lookup", () =>
        Promise.all([
          number === undefined ? undefined : findCallRoute(this.#db, number),
          findCallRoutes(this.#db, others),
        ]),
      );
      this.#failedAt = Number.NEGATIVE_INFINITY;
      if (route !== undefined) this.#cache.put(route);
      return { by: "database" as const, route, routes };
    } catch (error) {
      if (performance.now() - this.#failedAt >= IMPATIENCE_MS) this.#failedAt = performance.now();
      if (!isDatabaseUnavailable(error)) this.#log.error({ err: error }, "a call could not be routed by the database");
      const known = [...others, ...(number === undefined ? [] : [number])].flatMap(
        (each) => this.#cache.get(each) ?? [],
      );
      const routes = new Map(known.map((route) => [route.trackingNumber, route]));
      return { by: "cache" as const, route: number === undefined ? undefined : routes.get(number), routes };
    }
  }
}

/**
 * Returns the number that a call arrives at, and the caller with the caller's number, both in E.164 format and undefined if there is none.
 * If the number's country cannot be told, the number must be a tracking number by its digits.
 */
export function readPresented(call: PresentedCall) {
  const number = readDialledNumber(call.to, call.phoneSystem);
  const trackingNumber = number === undefined || number.startsWith("+") ? number : `+${number}`;
  const caller = readCaller(call, call.phoneSystem);
  return { trackingNumber, caller, callerNumber: caller.kind === "number" ? caller.number : undefined };
}

/** Returns the number to show instead of the caller's; undefined if the dialled number's country cannot be told. */
function shownNumber({ to, phoneSystem }: PresentedCall, route: CallRoute | undefined): string | undefined {
  const dialled = readDialledNumber(to, phoneSystem);
  return route?.trackingNumber ?? (dialled?.startsWith("+") ? dialled : undefined);
}

function planFallback(
  { fallbackNumber }: StoredPhoneSystem,
  {
    callerId,
    trackingNumber,
    rejection,
  }: { readonly callerId: string | undefined } & Pick<RoutedCall, "trackingNumber"> & Pick<CallSituation, "rejection">,
): CallPlan {
  // To dial the number that was just dialled would bring the call back here, without end.
  const reason = trackingNumber === fallbackNumber ? "LOOP" : rejection?.reason;
  if (reason !== undefined) return { kind: "reject", reason, notes: [] };
  const dial = {
    ...({ step: "fallback", number: fallbackNumber, callerId: callerId ?? fallbackNumber } as const),
    ...{ ringSeconds: FALLBACK_RING_SECONDS, maxSeconds: MAX_SECONDS },
    ...{ whisper: undefined, acceptDigit: undefined, recording: undefined },
  };
  return { kind: "dial", prompt: undefined, dials: [dial], notes: [] };
}
