import { DomainError } from "@calltrack/domain";
import type { ContextValues, Interceptor } from "@connectrpc/connect";
import type { LimitsSettings } from "../config/limits-settings.js";
import { RETRY_AFTER_S } from "../errors/domain-error.js";
import { Health } from "../gen/health/v1/health_pb.js";

/** Calls back in a microtask, which Node's own `queueMicrotask` makes an object for. */
const RESOLVED = Promise.resolve();

/** A call that is under way. */
interface Call {
  /** Where it stands among them. */
  place: number;
  /** By the clock of `performance`, at most a look late. */
  readonly since: number;
  readonly reject: (error: DomainError) => void;
}

/**
 * The calls that are under way: each from when its request is there as a whole until its work is done, whether or not anyone
 * still waits for it. So a client that sends slowly, or reads slowly, takes no place. Health is asked about outside of them.
 */
export class ConcurrencyLimit {
  readonly #most: number;
  readonly #timeoutMs: number;
  /** In no order. A set would cost a third of all that is done for a request: each call would need a hash of its own. */
  readonly #calls: Call[] = [];
  /** Calls that have begun to arrive in what is being read, and may be there as a whole when it is. */
  #arriving = 0;
  #now = performance.now();
  readonly #timer: NodeJS.Timeout;

  readonly #onBegin: (values: ContextValues) => void;

  /** @param onBegin is told of each call whose request is one message. */
  constructor(
    { maxRequests, requestTimeoutMs }: Pick<LimitsSettings, "maxRequests" | "requestTimeoutMs">,
    onBegin: (values: ContextValues) => void,
  ) {
    this.#onBegin = onBegin;
    this.#most = maxRequests ?? Number.POSITIVE_INFINITY;
    this.#timeoutMs = requestTimeoutMs;
    this.#timer = setInterval(() => this.#look(), Math.min(1000, requestTimeoutMs / 4)).unref();
  }

  /** Whether there are as many as there may be. */
  get isFull(): boolean {
    return this.#calls.length + this.#arriving >= this.#most;
  }

  /** Counts a call that begins to arrive, until all that was read together with it is taken: its own call may come of that. */
  noteArrival(): void {
    if (this.#arriving++ === 0) void RESOLVED.then(this.#onTaken);
  }

  /** Counts the calls, refuses one too many, and answers those that take too long. */
  readonly interceptor: Interceptor = (next) => (request) => {
    if (request.service === Health) return next(request);
    if (this.#calls.length >= this.#most)
      return Promise.reject(new DomainError("OVERLOADED", { retryAfterS: RETRY_AFTER_S }));
    if (!request.stream) this.#onBegin(request.contextValues);
    return new Promise((resolve, reject) => {
      const call: Call = { place: this.#calls.length, since: this.#now, reject };
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

  readonly #onTaken = (): void => {
    this.#arriving = 0;
  };

  close(): void {
    clearInterval(this.#timer);
  }

  /** Puts the last in its place. */
  #remove(call: Call): void {
    const last = this.#calls.pop() as Call;
    if (last === call) return;
    this.#calls[call.place] = last;
    last.place = call.place;
  }

  #look(): void {
    this.#now = performance.now();
    for (const { since, reject } of this.#calls) {
      if (this.#now - since >= this.#timeoutMs) reject(new DomainError("DEADLINE_EXCEEDED", {}));
    }
  }
}
