import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { Code, ConnectError, type ContextValues, createContextValues, type HandlerContext } from "@connectrpc/connect";
import { createDisconnectError } from "../http/body-errors.js";
import type { HttpRequest } from "../http/http-request.js";
import type { MutableHeaders } from "../http/http-response.js";
import { appendHeaders } from "../http/response-headers.js";
import { getRequestUrl } from "../routing/request-target.js";
import type { DeadlineWrapper } from "./registered-method.js";
import { createRequestHeader } from "./request-header.js";

/** The longest delay of a Node.js timer. A timer with a longer delay fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
/** The abort reason for the signals of completed RPCs. Not a `ConnectError`, because its `Headers` would load Node's fetch client. */
const COMPLETED = new Error("the call is complete");
const noTimeout = () => undefined;

/**
 * The context of one RPC. As in Connect, the signal aborts at the deadline, at shutdown, when the client disconnects, and when the RPC is complete.
 * The headers and the signal are created on first use, because most handlers use neither.
 */
export class RpcContext implements HandlerContext {
  readonly service: DescService;
  readonly requestMethod: string;
  readonly timeoutMs: () => number | undefined;

  /** The response headers and trailers. Undefined until they are first accessed, which means that they are empty. */
  touchedHeader: Headers | undefined;
  touchedTrailer: Headers | undefined;
  /** The response headers that {@link addResponseHeader} has added; undefined if there are none. */
  ownHeaders: Record<string, string> | undefined;
  /** Why the RPC ended, such as an error for the passed deadline; undefined while the RPC runs. */
  endReason: unknown;

  readonly #request: HttpRequest;
  readonly #shutdownSignal: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  #values: ContextValues | undefined;
  #requestHeader: Headers | undefined;
  #controller: AbortController | undefined;
  #interrupt: ((reason: unknown) => void) | undefined;
  #unwatch: (() => void) | undefined;

  constructor(
    readonly protocolName: string,
    readonly method: DescMethod,
    request: HttpRequest,
    timeoutMs: number | undefined,
    shutdownSignal: AbortSignal | undefined,
  ) {
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
    return getRequestUrl(this.#request);
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
    this.touchedHeader ??= new Headers();
    return this.touchedHeader;
  }

  get responseTrailer(): Headers {
    this.touchedTrailer ??= new Headers();
    return this.touchedTrailer;
  }

  get signal(): AbortSignal {
    this.#controller ??= this.#createController();
    return this.#controller.signal;
  }

  /** Returns a copy of the response headers that interceptors and the handler have set so far. */
  copyHeaders(): MutableHeaders {
    const headers: MutableHeaders = { ...this.ownHeaders };
    if (this.touchedHeader !== undefined) appendHeaders(headers, this.touchedHeader);
    return headers;
  }

  copyTrailers(): MutableHeaders {
    const trailers: MutableHeaders = {};
    if (this.touchedTrailer !== undefined) appendHeaders(trailers, this.touchedTrailer);
    return trailers;
  }

  /** Replaces the response headers and trailers with those that the interceptors returned. Interceptors may return other objects than they got. */
  takeResponse({ header, trailer }: { readonly header: Headers; readonly trailer: Headers }): void {
    this.touchedHeader = header;
    this.touchedTrailer = trailer;
  }

  /** Runs the work of a unary RPC. If the client set a timeout, runs the work within `aroundDeadline`, and rejects at the deadline. */
  run<T>(work: () => Promise<T>, aroundDeadline: DeadlineWrapper | undefined): Promise<T> {
    if (this.timeoutMs === noTimeout) return work();
    return this.race(aroundDeadline === undefined ? work : () => aroundDeadline(this.signal, work));
  }

  /** Starts work and settles like the work, but rejects as soon as the RPC ends. Call `race` again only after the previous work has settled. */
  race<T>(start: () => Promise<T>): Promise<T> {
    this.#watch();
    if (this.endReason !== undefined) return Promise.reject(this.endReason);
    return new Promise((resolve, reject) => {
      this.#interrupt = reject;
      start().then(resolve, reject);
    });
  }

  /** If the RPC has ended, throws the reason. Call it before work that is needless once the RPC has ended. */
  throwIfEnded(): void {
    if (this.endReason !== undefined) throw this.endReason;
  }

  /** Ends the RPC: stops the timer, removes the listener from the request, and aborts the signal if it was accessed. */
  finish(): void {
    this.#end(COMPLETED);
  }

  #end(reason: unknown): void {
    if (this.endReason !== undefined) return;
    this.endReason = reason;
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
    if (this.endReason !== undefined) controller.abort(this.endReason);
    else if (this.#shutdownSignal !== undefined) abortWith(this.#shutdownSignal, controller);
    return controller;
  }
}

function createDeadlineError(): ConnectError {
  return new ConnectError(
    "the deadline passed before the response was ready: allow more time or request less data",
    Code.DeadlineExceeded,
  );
}

/** Aborts `controller` when `signal` aborts. Once the controller has aborted, removes its listener from the signal. */
function abortWith(signal: AbortSignal, controller: AbortController): void {
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true, signal: controller.signal });
}

/**
 * Adds a response header. For an RpcContext, creates no `Headers` object, which would be slower. Checks neither the name nor the value. The name must
 * be in lower case.
 */
export function addResponseHeader(context: HandlerContext, name: string, value: string): void {
  if (context instanceof RpcContext) {
    context.ownHeaders ??= {};
    context.ownHeaders[name] = value;
  } else context.responseHeader.set(name, value);
}
