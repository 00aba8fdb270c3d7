import { type Exchange, ProgressTimeout } from "@calltrack/http";
import type { Logger } from "pino";
import { Health } from "../../gen/health/v1/health_pb.js";
import { requestFields } from "./request-log.js";
import { protocolOf } from "./request-protocol.js";
import type { RequestRecord } from "./request-record.js";

/**
 * Answers or ends every request at its deadline: also if a handler ignores the deadline, if authentication hangs, or if a library
 * abandons the request. One timer checks all in-flight requests, because most of them finish before the first check.
 */
export class RequestWatch {
  readonly #timeoutMs: number;
  readonly #log: Logger;
  /** Unordered. Each record knows its index, `place`. */
  readonly #inFlight: RequestRecord[] = [];
  readonly #timer: NodeJS.Timeout;

  readonly #refuse: (exchange: Exchange) => void;

  /**
   * @param timeoutMs the maximum time without progress of the server.
   * @param refuse sends the error of an exceeded deadline.
   */
  constructor(timeoutMs: number, refuse: (exchange: Exchange) => void, log: Logger) {
    this.#timeoutMs = timeoutMs;
    this.#refuse = refuse;
    this.#log = log;
    this.#timer = setInterval(() => this.#check(), Math.min(1000, timeoutMs / 4)).unref();
  }

  add(record: RequestRecord): void {
    record.place = this.#inFlight.length;
    this.#inFlight.push(record);
  }

  remove(record: RequestRecord): void {
    const { place } = record;
    if (this.#inFlight[place] !== record) return;
    const last = this.#inFlight.pop() as RequestRecord;
    if (last === record) return;
    this.#inFlight[place] = last;
    last.place = place;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const now = performance.now();
    for (const record of this.#inFlight.slice()) {
      record.stall ??= new ProgressTimeout(this.#timeoutMs);
      const progress = isEndless(record) ? undefined : record.exchange.progress;
      if (record.stall.hasExpired(progress, now)) this.#expire(record);
    }
  }

  #expire(record: RequestRecord): void {
    const { method } = record.call ?? {};
    const name = method && `${method.parent.typeName}/${method.name}`;
    this.#log.warn(
      { ...requestFields(record), method: name, protocol: protocolOf(record) },
      "the request was not answered in time",
    );
    const { exchange } = record;
    if (exchange.hasResponded) exchange.abort();
    else this.#refuse(exchange);
  }
}

/** Whether an answer may pause without limit: a health watch sends a message only when the status changes. */
function isEndless({ call }: RequestRecord): boolean {
  return call?.method === Health.method.watch;
}
