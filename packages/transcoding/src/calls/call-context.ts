import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { Code, ConnectError, type ContextValues, createContextValues, type HandlerContext } from "@connectrpc/connect";
import { createDisconnectError } from "../http/body-errors.js";
import type { HttpRequest } from "../http/http-request.js";
import { createRequestHeader } from "./request-header.js";

/** The longest delay of a Node.js timer. A longer one overflows, and the timer fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
const COMPLETED = new ConnectError("the call is complete", Code.Canceled);
const noTimeout = () => undefined;

/**
 * The context of one call. As in Connect, its signal aborts at the deadline, when the client disconnects, at shutdown, and when
 * the call is complete. Headers and signal are created on first use, because most handlers use neither.
 */
export class CallContext implements HandlerContext {
  readonly protocolName: string;
  readonly method: DescMethod;
  readonly service: DescService;
  readonly requestMethod: string;
  readonly timeoutMs: () => number | undefined;

  readonly #request: HttpRequest;
  readonly #shutdownSignal: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  #values: ContextValues | undefined;
  #requestHeader: Headers | undefined;
  #responseHeader: Headers | undefined;
  #responseTrailer: Headers | undefined;
  #ownHeaders: Record<string, string> | undefined;
  #controller: AbortController | undefined;
  /** The reason why the call ended; undefined while it runs. */
  #reason: unknown;
  #interrupt: ((reason: unknown) => void) | undefined;
  #unwatch: (() => void) | undefined;

  constructor(
    protocolName: string,
    method: DescMethod,
    request: HttpRequest,
    timeoutMs: number | undefined,
    shutdownSignal: AbortSignal | undefined,
  ) {
    this.protocolName = protocolName;
    this.method = method;
    this.service = method.parent;
    this.requestMethod = request.method;
    this.#request = request;
    this.#values = request.contextValues;
    this.#shutdownSignal = shutdownSignal;
    if (timeoutMs === undefined) {
      this.timeoutMs = noTimeout;
    } else {
      const deadline = performance.now() + timeoutMs;
      this.timeoutMs = () => deadline - performance.now();
      this.#timer = this.#startTimer(timeoutMs);
    }
  }

  get url(): string {
    const { target } = this.#request;
    return target.startsWith("/") ? this.#request.origin + target : target;
  }

  get values(): ContextValues {
    this.#values ??= createContextValues();
    return this.#values;
  }

  get requestHeader(): Headers {
    this.#requestHeader ??= createRequestHeader(this.#request);
    return this.#requestHeader;
  }

  get responseHeader(): Headers {
    this.#responseHeader ??= new Headers();
    return this.#responseHeader;
  }

  get responseTrailer(): Headers {
    this.#responseTrailer ??= new Headers();
    return this.#responseTrailer;
  }

  get signal(): AbortSignal {
    this.#controller ??= this.#createController();
    return this.#controller.signal;
  }

  /** Whether the client has set a timeout. */
  get hasDeadline(): boolean {
    return this.timeoutMs !== noTimeout;
  }

  /** Adds a response header, separate from `responseHeader`. The name must be in lower case; name and value are not checked. */
  addResponseField(name: string, value: string): void {
    this.#ownHeaders ??= {};
    this.#ownHeaders[name] = value;
  }

  /** The headers added by {@link addResponseField}; undefined for none. */
  get ownHeaders(): Readonly<Record<string, string>> | undefined {
    return this.#ownHeaders;
  }

  /** Whether the response may have headers from interceptors or the handler. */
  get hasResponseHeaders(): boolean {
    return this.#responseHeader !== undefined || this.#ownHeaders !== undefined;
  }

  /** The response headers; undefined if nothing accessed them, so that they are empty. */
  get touchedHeader(): Headers | undefined {
    return this.#responseHeader;
  }

  /** The response trailers; undefined if nothing accessed them, so that they are empty. */
  get touchedTrailer(): Headers | undefined {
    return this.#responseTrailer;
  }

  /** Sets the headers and trailers that the interceptors returned. They can be different objects than those of the context. */
  takeResponse(header: Headers, trailer: Headers): void {
    this.#responseHeader = header;
    this.#responseTrailer = trailer;
  }

  /**
   * Starts work and settles like it, but rejects immediately when the deadline passes or the client disconnects, even if the work
   * ignores the signal. Call it for one piece of work at a time.
   */
  race<T>(start: () => Promise<T>): Promise<T> {
    this.#watch();
    if (this.#reason !== undefined) return Promise.reject(this.#reason);
    return new Promise((resolve, reject) => {
      this.#interrupt = reject;
      start().then(resolve, reject);
    });
  }

  /** The reason why the call ended; undefined while it runs. */
  get endReason(): unknown {
    return this.#reason;
  }

  /** Throws the reason if the call has ended, because its remaining work is no longer needed. */
  throwIfEnded(): void {
    if (this.#reason !== undefined) throw this.#reason;
  }

  /** Ends the call: stops its timer, releases the request, and aborts the signal if anything uses it. */
  finish(): void {
    this.#end(COMPLETED);
  }

  #end(reason: unknown): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    clearTimeout(this.#timer);
    this.#unwatch?.();
    this.#controller?.abort(reason);
    this.#interrupt?.(reason);
  }

  #startTimer(timeoutMs: number): ReturnType<typeof setTimeout> | undefined {
    const expire = () => this.#end(createDeadlineError());
    if (timeoutMs > MAX_TIMER_MS) return undefined;
    if (timeoutMs > 0) return setTimeout(expire, timeoutMs);
    expire();
    return undefined;
  }

  #watch(): void {
    this.#unwatch ??= this.#request.onGone(() => this.#end(createDisconnectError()));
  }

  #createController(): AbortController {
    const controller = new AbortController();
    this.#watch();
    if (this.#reason !== undefined) controller.abort(this.#reason);
    else if (this.#shutdownSignal !== undefined) abortWith(this.#shutdownSignal, controller);
    return controller;
  }
}

/** Creates the error of a call whose deadline has passed. */
export function createDeadlineError(): ConnectError {
  return new ConnectError(
    "the deadline passed before the response was ready: allow more time or request less",
    Code.DeadlineExceeded,
  );
}

/** Aborts `controller` when `signal` aborts. Keeps no reference to either once the controller has aborted. */
function abortWith(signal: AbortSignal, controller: AbortController): void {
  if (signal.aborted) {
    controller.abort(signal.reason);
    return;
  }
  signal.addEventListener("abort", () => controller.abort(signal.reason), { once: true, signal: controller.signal });
}

/**
 * Adds a response header. It is much faster than `responseHeader`, for headers of every response. The name must be in lower
 * case, and name and value must be valid.
 */
export function addResponseField(context: HandlerContext, name: string, value: string): void {
  if (context instanceof CallContext) context.addResponseField(name, value);
  else context.responseHeader.set(name, value);
}
