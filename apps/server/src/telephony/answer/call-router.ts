import { hash } from "node:crypto";
import {
  type CallPlan,
  type CallRoute,
  type CallSituation,
  findCallLoop,
  planCall,
  REPEATED_CALL_REJECTION,
  readRedirectingNumbers,
} from "@calltrack/domain";
import { type Executor, isDatabaseUnavailable } from "@calltrack/postgres";
import type { Logger } from "pino";
import { findCallRoute, findCallRoutes } from "../../api/call-flows/call-route.js";
import type { StoredPhoneSystem } from "../../api/phone-systems/phone-system-row.js";
import type { InboundCall } from "../inbound-call.js";
import type { RoutingCache } from "../outage/routing-cache.js";
import type { CallRouteOrigin } from "../telephony-metrics.js";
import type { WebhookDeadline } from "../webhook-deadline.js";
import { RepeatedCallDetector } from "./repeated-call-detector.js";

export interface RoutedCall {
  readonly by: CallRouteOrigin;
  /** Undefined if the dialed number is unknown, or if the database is unavailable and the cache lacks the route. */
  readonly route: CallRoute | undefined;
  /** Whether the database was read and does not contain the dialed number. */
  readonly isUnknownNumber: boolean;
  readonly plan: CallPlan;
}

const FALLBACK_RING_SECONDS = 60;

const MAX_SECONDS = 4 * 60 * 60;

/** For this long after a failed lookup, calls wait only briefly for the database. */
const IMPATIENCE_MS = 2000;

/** Finds the route of a call in the database or, during an outage, in the cache. Without a route, the call goes to the fallback number. */
export class CallRouter {
  readonly #db: Executor;
  readonly #cache: RoutingCache<StoredPhoneSystem>;
  readonly #log: Logger;
  readonly #repeated = new RepeatedCallDetector();
  /** When lookups began to fail, in `performance.now()` time; negative infinity after a successful lookup. */
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(db: Executor, cache: RoutingCache<StoredPhoneSystem>, log: Logger) {
    this.#db = db;
    this.#cache = cache;
    this.#log = log;
  }

  /** Routes a new call. The promise never rejects. */
  async route(call: InboundCall, now: Date, deadline: WebhookDeadline): Promise<RoutedCall> {
    const { phoneSystem, trackingNumber, callerNumber: caller } = call;
    const redirections = readRedirectingNumbers(call.redirections, phoneSystem);
    const others = [...(caller === undefined ? [] : [caller]), ...redirections];
    const { by, route, routes } = await this.#find(trackingNumber, others, deadline);
    const loop = route && findCallLoop(route, { caller, redirections }, (number) => routes.get(number));
    const rejection = loop ?? (this.#isRepeated(call) ? REPEATED_CALL_REJECTION : undefined);
    const plan =
      this.#plan(route, { phoneSystem, caller, rejection, now, chance: chanceOf(call) }) ??
      planFallback(call, route?.trackingNumber, rejection);
    const isUnknownNumber = by === "database" && route === undefined;
    return { by: route === undefined ? "fallback" : by, route, isUnknownNumber, plan };
  }

  /** Returns the plan of a call that was routed earlier; undefined if the route is unknown or the call flow is not executable. Never rejects. */
  async planAgain(call: InboundCall, trackingNumber: string, startedAt: Date, deadline: WebhookDeadline) {
    const { phoneSystem, callerNumber: caller } = call;
    const { route } = await this.#find(trackingNumber, [], deadline);
    return this.#plan(route, { phoneSystem, caller, rejection: undefined, now: startedAt, chance: chanceOf(call) });
  }

  /** Records that a call was answered or has ended, so that the loop detection no longer counts the call. */
  noteEnd(callId: string): void {
    this.#repeated.noteReport(callId);
  }

  /** Returns undefined if there is no route or the call flow cannot be executed: the fallback number then rings for a new call. */
  #plan(route: CallRoute | undefined, situation: Omit<CallSituation, "route">): CallPlan | undefined {
    try {
      return route && planCall({ route, ...situation });
    } catch (error) {
      this.#log.error({ err: error, pool_id: route?.poolId }, "the call flow of a pool cannot be executed");
      return undefined;
    }
  }

  #isRepeated({ callId, callerNumber, trackingNumber }: InboundCall): boolean {
    if (callId === undefined || callerNumber === undefined || trackingNumber === undefined) return false;
    return this.#repeated.isRepeated(callerNumber, trackingNumber, callId);
  }

  /** Returns the route of `number` as `route`, and the routes of the tracking numbers among `others` as `routes`. */
  async #find(number: string | undefined, others: readonly string[], deadline: WebhookDeadline) {
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
      if (!isDatabaseUnavailable(error))
        this.#log.error({ err: error }, "the route of a call could not be read from the database");
      const known = [...others, ...(number === undefined ? [] : [number])].flatMap(
        (each) => this.#cache.get(each) ?? [],
      );
      const routes = new Map(known.map((route) => [route.trackingNumber, route]));
      return { by: "cache" as const, route: number === undefined ? undefined : routes.get(number), routes };
    }
  }
}

/** Derives the random number of each step from the call's id. All requests about the call therefore get the same random numbers on any server. */
function chanceOf({ callId }: InboundCall): NonNullable<CallSituation["chance"]> {
  return (step) => hash("sha256", `${callId} ${step}`, "buffer").readUIntBE(0, 6) / 2 ** 48;
}

/** Plans a call whose route is unknown, or whose call flow cannot be executed. */
function planFallback(
  { phoneSystem: { fallbackNumber }, callerNumber, trackingNumber, isNumberWhole }: InboundCall,
  routedNumber: string | undefined,
  rejection: CallSituation["rejection"],
): CallPlan {
  // If the caller dialed the fallback number, dialing the fallback number would loop forever.
  const reason = trackingNumber === fallbackNumber ? "LOOP" : rejection?.reason;
  if (reason !== undefined) return { kind: "reject", reason, notes: [] };
  const dialedNumber = routedNumber ?? (isNumberWhole ? trackingNumber : undefined);
  return createFallbackPlan(fallbackNumber, callerNumber ?? dialedNumber ?? fallbackNumber);
}

/** Creates a plan that dials only the fallback number. */
export function createFallbackPlan(fallbackNumber: string, callerId: string): CallPlan {
  const dial = {
    ...({ step: "fallback", targets: [{ leg: "fallback", destination: fallbackNumber }] } as const),
    ...{ callerId, ringSeconds: FALLBACK_RING_SECONDS, maxSeconds: MAX_SECONDS },
    ...{ whisper: undefined, acceptDigit: undefined, recording: undefined },
  };
  return { kind: "dial", prompt: undefined, dials: [dial], voicemail: undefined, notes: [] };
}
