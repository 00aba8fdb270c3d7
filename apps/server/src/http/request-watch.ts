import type { WaitReason } from "@calltrack/transcoding/node";
import type { Logger } from "pino";
import type { HttpLimits } from "../config/http-limits.js";
import { DEADLINE_EXCEEDED } from "../errors/http-errors.js";
import { Health } from "../gen/health/v1/health_pb.js";
import { callFields } from "../observability/requests/request-log.js";
import type { RequestRecord } from "../observability/requests/request-record.js";
import type { RequestHandler } from "./request-handler.js";

/** An in-flight request and its deadline. */
interface Watched {
  readonly record: RequestRecord;
  waitsFor: WaitReason;
  /** Changes with every progress. */
  progress: number;
  /** The time since which the request waits without progress. */
  since: number;
}

/** A client that reads slowly gets the send timeout for each of these units, because Node does not report partial progress of a write. */
const SEND_UNIT_BYTES = 1024 * 1024;

/** Requests that are younger are not checked: most end before. */
type Limits = Pick<
  HttpLimits,
  "requestTimeoutMs" | "bodyTimeoutMs" | "sendTimeoutMs" | "maxUnsentBytes" | "headerTimeoutMs"
>;

/**
 * Enforces the one deadline of each request. It depends on whom the request waits for: the client to send it, the server to answer, or the
 * client to read. It also applies if a handler ignores the signal of its call, authentication hangs, or a library abandons the request.
 *
 * One timer checks all in-flight requests, because most end before the first check.
 */
export class RequestWatch {
  readonly #limits: Limits;
  readonly #handler: Pick<RequestHandler, "refuse" | "fail">;
  readonly #log: Logger;
  /** Unordered. Each record has its index in `watchIndex`. */
  readonly #inFlight: Watched[] = [];
  readonly #timer: NodeJS.Timeout;

  /** @param handler refuses requests that arrive too slowly. */
  constructor(limits: Limits, handler: Pick<RequestHandler, "refuse" | "fail">, log: Logger) {
    this.#limits = limits;
    this.#handler = handler;
    this.#log = log;
    const { requestTimeoutMs, bodyTimeoutMs, sendTimeoutMs } = limits;
    const shortestMs = Math.min(requestTimeoutMs, bodyTimeoutMs, sendTimeoutMs);
    this.#timer = setInterval(() => this.#check(), Math.min(1000, shortestMs / 4)).unref();
  }

  add(record: RequestRecord): void {
    record.watchIndex = this.#inFlight.length;
    this.#inFlight.push({ record, waitsFor: "sender", progress: 0, since: record.startedAt });
  }

  remove({ watchIndex }: RequestRecord): void {
    const last = this.#inFlight.pop() as Watched;
    if (last.record.watchIndex === watchIndex) return;
    this.#inFlight[watchIndex] = last;
    last.record.watchIndex = watchIndex;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const now = performance.now();
    for (const watched of this.#inFlight.slice()) {
      const { request } = watched.record;
      try {
        if (this.#isExpired(watched, now)) this.#expire(watched);
      } catch (error) {
        this.#handler.fail(request, error);
      }
    }
    this.#limitUnsent();
  }

  #isExpired(watched: Watched, now: number): boolean {
    const { requestTimeoutMs, bodyTimeoutMs, sendTimeoutMs } = this.#limits;
    const { record } = watched;
    const { request } = record;
    const { waitsFor, unsentBytes } = request;
    // The whole body has one time limit, whatever progress it makes.
    if (waitsFor === "sender" && !request.isOpenEnded) return now - record.startedAt >= bodyTimeoutMs;
    const progress = request.progress - unsentBytes;
    if (waitsFor !== watched.waitsFor || progress !== watched.progress || isEndless(record)) {
      Object.assign(watched, { waitsFor, progress, since: now });
      return false;
    }
    const waitedMs = now - watched.since;
    if (waitsFor === "reader") return waitedMs >= sendTimeoutMs * Math.ceil(unsentBytes / SEND_UNIT_BYTES);
    return waitedMs >= (waitsFor === "sender" ? bodyTimeoutMs : requestTimeoutMs);
  }

  #expire({ record }: Watched): void {
    const { request } = record;
    const { waitsFor } = request;
    if (waitsFor === "server") this.#log.warn(callFields(record), "the request was not answered in time");
    if (request.hasResponded || waitsFor === "reader") {
      request.abort();
    } else if (waitsFor === "sender") {
      request.refuseBody();
      this.#handler.refuse(request, "REQUEST_TIMEOUT");
    } else {
      request.abandon();
      DEADLINE_EXCEEDED.answer(request);
    }
  }

  /** Ends the requests with the most unsent bytes, beyond the limit of all. */
  #limitUnsent(): void {
    const requests = this.#inFlight.map(({ record }) => record.request);
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

/** Whether a response may pause without limit. A health watch sends a message only if the status changes. */
function isEndless({ call }: RequestRecord): boolean {
  return call?.method === Health.method.watch;
}
