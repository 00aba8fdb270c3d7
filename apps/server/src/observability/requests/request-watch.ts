import { type Exchange, ProgressTimeout } from "@calltrack/http";
import type { Logger } from "pino";
import { Health } from "../../gen/health/v1/health_pb.js";
import { callFields } from "./request-log.js";
import type { RequestRecord } from "./request-record.js";

/**
 * Ends requests that exceed the timeout, even if a handler ignores its deadline, authentication hangs, or a library abandons the
 * request. One timer checks all in-flight requests, because most requests end before the first check.
 */
export class RequestWatch {
  readonly #timeoutMs: number;
  readonly #log: Logger;
  /** Unordered. Each record has its index in `watchIndex`. */
  readonly #inFlight: RequestRecord[] = [];
  readonly #timer: NodeJS.Timeout;

  readonly #refuse: (exchange: Exchange) => void;
  readonly #fail: (exchange: Exchange, error: unknown) => void;

  /**
   * @param timeoutMs the maximum time in which the server makes no progress on a request.
   * @param refuse sends the error for an exceeded deadline.
   * @param fail ends a request whose check threw.
   */
  constructor(
    timeoutMs: number,
    refuse: (exchange: Exchange) => void,
    fail: (exchange: Exchange, error: unknown) => void,
    log: Logger,
  ) {
    this.#timeoutMs = timeoutMs;
    this.#refuse = refuse;
    this.#fail = fail;
    this.#log = log;
    this.#timer = setInterval(() => this.#check(), Math.min(1000, timeoutMs / 4)).unref();
  }

  add(record: RequestRecord): void {
    record.watchIndex = this.#inFlight.length;
    this.#inFlight.push(record);
  }

  remove(record: RequestRecord): void {
    const { watchIndex } = record;
    if (this.#inFlight[watchIndex] !== record) return;
    const last = this.#inFlight.pop() as RequestRecord;
    if (last === record) return;
    this.#inFlight[watchIndex] = last;
    last.watchIndex = watchIndex;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const now = performance.now();
    for (const record of this.#inFlight.slice()) {
      try {
        this.#checkRequest(record, now);
      } catch (error) {
        this.#fail(record.exchange, error);
      }
    }
  }

  #checkRequest(record: RequestRecord, now: number): void {
    record.progressTimeout ??= new ProgressTimeout(this.#timeoutMs);
    const progress = isEndless(record) ? undefined : record.exchange.progress;
    if (record.progressTimeout.hasExpired(progress, now)) this.#expire(record);
  }

  #expire(record: RequestRecord): void {
    this.#log.warn(callFields(record), "the request was not answered in time");
    const { exchange } = record;
    if (exchange.hasResponded) exchange.abort();
    else this.#refuse(exchange);
  }
}

/** Whether a response may pause without limit. A health watch sends a message only if the status changes. */
function isEndless({ call }: RequestRecord): boolean {
  return call?.method === Health.method.watch;
}
