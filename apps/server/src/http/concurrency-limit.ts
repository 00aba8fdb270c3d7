import { DomainError } from "@calltrack/domain";
import type { ContextValues, Interceptor } from "@connectrpc/connect";
import type { LimitsSettings } from "../config/limits-settings.js";
import { RETRY_AFTER_S } from "../errors/domain-error.js";
import { Health } from "../gen/health/v1/health_pb.js";

/** Schedules microtasks. Node's `queueMicrotask` would allocate an AsyncResource for each. */
const RESOLVED = Promise.resolve();

/** A call in progress. */
interface Call {
  /** Its index in the list of calls. */
  index: number;
  /** When it began, in the time of `performance.now()`, accurate to one check interval. */
  readonly startedAt: number;
  readonly reject: (error: DomainError) => void;
}

/**
 * Limits the calls in progress. A call counts from the full receipt of its request until its work is done, even if its client
 * has disconnected. Slow senders and slow readers thus do not use up the limit. Health checks are not counted.
 */
export class ConcurrencyLimit {
  readonly #maxCalls: number;
  readonly #timeoutMs: number;
  /** Unordered. A Set would be much slower, because each call would need an identity hash. */
  readonly #calls: Call[] = [];
  /** Requests whose heads were read in the current microtask run, and whose calls may begin in it. */
  #arriving = 0;
  #now = performance.now();
  readonly #timer: NodeJS.Timeout;

  readonly #onBegin: (values: ContextValues) => void;

  /** @param onBegin receives the context values of each beginning call whose request is one message. */
  constructor(
    { maxRequests, requestTimeoutMs }: Pick<LimitsSettings, "maxRequests" | "requestTimeoutMs">,
    onBegin: (values: ContextValues) => void,
  ) {
    this.#onBegin = onBegin;
    this.#maxCalls = maxRequests ?? Number.POSITIVE_INFINITY;
    this.#timeoutMs = requestTimeoutMs;
    this.#timer = setInterval(() => this.#check(), Math.min(1000, requestTimeoutMs / 4)).unref();
  }

  /** Whether the limit is reached. */
  get isFull(): boolean {
    return this.#calls.length + this.#arriving >= this.#maxCalls;
  }

  /** Counts an arriving request, until all requests read together with it have been handled and their calls have begun. */
  noteArrival(): void {
    if (this.#arriving++ === 0) void RESOLVED.then(this.#onArrived);
  }

  /** Counts calls, rejects those over the limit, and fails those that exceed the timeout. */
  readonly interceptor: Interceptor = (next) => (request) => {
    if (request.service === Health) return next(request);
    if (this.#calls.length >= this.#maxCalls)
      return Promise.reject(new DomainError("OVERLOADED", { retryAfterS: RETRY_AFTER_S }));
    if (!request.stream) this.#onBegin(request.contextValues);
    return new Promise((resolve, reject) => {
      const call: Call = { index: this.#calls.length, startedAt: this.#now, reject };
      this.#calls.push(call);
      next(request).then(
        (response) => {
          this.#remove(call);
          resolve(response);
        },
        (error) => {
          this.#remove(call);
          reject(error);
        },
      );
    });
  };

  readonly #onArrived = (): void => {
    this.#arriving = 0;
  };

  close(): void {
    clearInterval(this.#timer);
  }

  /** Moves the last call to the index of the removed one. */
  #remove(call: Call): void {
    const last = this.#calls.pop() as Call;
    if (last === call) return;
    this.#calls[call.index] = last;
    last.index = call.index;
  }

  #check(): void {
    this.#now = performance.now();
    for (const { startedAt, reject } of this.#calls) {
      if (this.#now - startedAt >= this.#timeoutMs) reject(new DomainError("DEADLINE_EXCEEDED", {}));
    }
  }
}
