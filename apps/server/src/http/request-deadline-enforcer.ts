import type { Logger } from "pino";
import type { HttpLimits } from "../config/http-limits.js";
import { DEADLINE_EXCEEDED_ERROR } from "../errors/http-errors.js";
import { createRpcLogFields } from "../observability/requests/request-log.js";
import type { RequestState } from "../observability/requests/request-state.js";
import { isEndlessStreamMethod } from "./endless-streams.js";
import type { RequestHandler } from "./request-handler.js";

/**
 * The unit for the send timeout. A client gets one timeout per started unit of unsent bytes, because Node does not report the partial progress of a
 * write.
 */
const SEND_UNIT_BYTES = 1024 * 1024;

type Limits = Pick<HttpLimits, "requestTimeoutMs" | "bodyTimeoutMs" | "sendTimeoutMs" | "maxUnsentBytes">;

/**
 * Enforces the time limits of requests. They limit the time for the client to send the body, for the server to respond, and for the client to read
 * the response.
 *
 * The limits apply even if a handler ignores its abort signal, authentication hangs, or a library abandons the request. One timer checks all
 * in-flight requests, because most requests end before the first check.
 */
export class RequestDeadlineEnforcer {
  readonly #limits: Limits;
  readonly #handler: Pick<RequestHandler, "refuse">;
  readonly #log: Logger;
  /** The states of in-flight requests, in no particular order. The `watchIndex` of a state is its index in this array. */
  readonly #inFlight: RequestState[] = [];
  readonly #timer: NodeJS.Timeout;

  /** @param handler rejects requests that clients send too slowly. */
  constructor(limits: Limits, handler: Pick<RequestHandler, "refuse">, log: Logger) {
    this.#limits = limits;
    this.#handler = handler;
    this.#log = log;
    const { requestTimeoutMs, bodyTimeoutMs, sendTimeoutMs } = limits;
    const shortestMs = Math.min(requestTimeoutMs, bodyTimeoutMs, sendTimeoutMs);
    this.#timer = setInterval(() => this.#check(), Math.min(1000, shortestMs / 4)).unref();
  }

  add(state: RequestState): void {
    state.watchIndex = this.#inFlight.length;
    this.#inFlight.push(state);
  }

  remove({ watchIndex }: RequestState): void {
    const last = this.#inFlight.pop() as RequestState;
    if (last.watchIndex === watchIndex) return;
    this.#inFlight[watchIndex] = last;
    last.watchIndex = watchIndex;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const now = performance.now();
    for (const state of this.#inFlight.slice()) {
      try {
        if (this.#isExpired(state, now)) this.#expire(state);
      } catch (error) {
        state.request.fail(error);
      }
    }
    this.#limitUnsent();
  }

  #isExpired(state: RequestState, now: number): boolean {
    const { requestTimeoutMs, bodyTimeoutMs, sendTimeoutMs } = this.#limits;
    const { request } = state;
    const { waitsFor, unsentBytes } = request;
    // The time limit applies to the whole body, whatever progress the client makes.
    if (waitsFor === "sender" && !request.isOpenEnded) return now - state.startedAt >= bodyTimeoutMs;
    const progress = request.progress - unsentBytes;
    const isIdle = waitsFor === "server" && isEndlessStreamMethod(state.rpc?.method);
    if (waitsFor !== state.waitsFor || progress > state.progress || isIdle) {
      Object.assign(state, { waitsFor, progress, waitsSince: now });
      return false;
    }
    const waitedMs = now - state.waitsSince;
    if (waitsFor === "reader") return waitedMs >= sendTimeoutMs * Math.ceil(unsentBytes / SEND_UNIT_BYTES);
    return waitedMs >= (waitsFor === "sender" ? bodyTimeoutMs : requestTimeoutMs);
  }

  #expire(state: RequestState): void {
    const { request } = state;
    const { waitsFor } = request;
    if (waitsFor === "server") this.#log.warn(createRpcLogFields(state), "the server did not answer a request in time");
    if (request.hasResponded || waitsFor === "reader") {
      request.abort();
    } else if (waitsFor === "sender") {
      request.refuseBody();
      this.#handler.refuse(request, "REQUEST_TIMEOUT");
    } else {
      request.abandon();
      DEADLINE_EXCEEDED_ERROR.answer(request);
    }
  }

  /** Aborts the requests with the most unsent bytes, until the total of unsent bytes is within the limit. */
  #limitUnsent(): void {
    const requests = this.#inFlight.map(({ request }) => request);
    let excess = requests.reduce((sum, { unsentBytes }) => sum + unsentBytes, -this.#limits.maxUnsentBytes);
    if (excess <= 0) return;
    const sizes = requests.map((request) => [request, request.unsentBytes] as const);
    for (const [request, bytes] of sizes.sort(([, one], [, other]) => other - one)) {
      if (excess <= 0) return;
      request.abort();
      excess -= bytes;
    }
  }
}
