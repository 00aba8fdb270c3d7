import { randomBytes } from "node:crypto";
import type { AwaitedParty, NodeRequest } from "@calltrack/transcoding/node";
import type { Code, ContextKey, ContextValues, HandlerContext } from "@connectrpc/connect";
import type { Span } from "@opentelemetry/api";
import type { RequestRoute } from "./request-route.js";

/** The name of the header with the id of a request. Clients may send this header, and every response contains it. */
export const REQUEST_ID_HEADER = "x-request-id";

/** Matches a traceparent header, and captures its trace id (https://www.w3.org/TR/trace-context/#traceparent-header). */
const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/;

export type RequestProtocol = "json" | "grpc" | "grpc-web" | "connect";

const GRPC = /^application\/grpc(-web)?/;

/**
 * The state of a request, from its head to the end of its response. Interceptors and handlers can access it, because it also holds the
 * context values of the RPC.
 */
export class RequestState implements ContextValues {
  readonly id: string;
  readonly request: NodeRequest;
  /** When the request head arrived, in milliseconds of `performance.now()`. */
  readonly startedAt = performance.now();
  /** The context of the RPC. Undefined until the request is routed to a method, and for requests that call no method. */
  rpc: HandlerContext | undefined = undefined;
  /** The code of the error that the response contains; undefined if no failure has been recorded. */
  failure: Code | undefined = undefined;
  /** Undefined before routing, and for a request that the HTTP server rejects. */
  route: RequestRoute | undefined = undefined;
  /** Whether the server rejected the request because its head or body is invalid, or because of a limit. */
  isRefused = false;
  /** Whether the implementation of the RPC returned a response. For gRPC, the HTTP status does not show this: it is 200 even after a failure. */
  isAnswered = false;

  /** The span that traces the request; undefined if tracing is off. */
  span: Span | undefined = undefined;

  /** Whether the request currently counts toward `ConcurrencyLimit`. */
  isCounted = false;
  /** Whether the request has been counted by `StreamLimit`. */
  isOpenStream = false;
  /**
   * The index of the request in the list of `RequestDeadlineEnforcer`. The next three fields record the party for which the request waits, its progress,
   * and the time when either last changed.
   */
  watchIndex = -1;
  waitsFor: AwaitedParty = "sender";
  progress = 0;
  waitsSince = this.startedAt;

  constructor(request: NodeRequest) {
    this.id = chooseRequestId(request.header(REQUEST_ID_HEADER));
    this.request = request;
  }

  /** The trace id of `span` or, if tracing is off, of the client's traceparent header. Undefined if the request has neither. */
  get traceId(): string | undefined {
    return this.span?.spanContext().traceId ?? TRACEPARENT.exec(this.request.header("traceparent") ?? "")?.[1];
  }

  /** If the request was not routed to a method, its content type determines the protocol. */
  get protocol(): RequestProtocol {
    const { rpc } = this;
    if (rpc !== undefined) return rpc.protocolName === "transcoding" ? "json" : (rpc.protocolName as RequestProtocol);
    const [isGrpc, isWeb] = GRPC.exec(this.request.header("content-type") ?? "") ?? [];
    if (isGrpc === undefined) return "json";
    return isWeb === undefined ? "grpc" : "grpc-web";
  }

  get<T>(key: ContextKey<T>): T {
    return key.id in this ? ((this as unknown as Record<symbol, T>)[key.id] as T) : key.defaultValue;
  }

  set<T>(key: ContextKey<T>, value: T): this {
    (this as unknown as Record<symbol, T>)[key.id] = value;
    return this;
  }

  delete(key: ContextKey<unknown>): this {
    delete (this as unknown as Record<symbol, unknown>)[key.id];
    return this;
  }
}

/** Returns the request state that stores the context values of a request or an RPC. Undefined if the values belong to no HTTP request. */
export function findRequestState(values: ContextValues | undefined): RequestState | undefined {
  return values instanceof RequestState ? values : undefined;
}

/**
 * Records the outcome of an RPC in its request state. `code` is undefined if the RPC returned a response. Keeps a failure code that was recorded
 * earlier.
 */
export function recordRpcOutcome(values: ContextValues, code: Code | undefined): void {
  const state = findRequestState(values);
  if (state === undefined) return;
  if (code === undefined) state.isAnswered = true;
  else state.failure ??= code;
}

/** Matches 1 to 128 characters of visible ASCII, which are safe to write to any log. */
const VALID_ID = /^[\x21-\x7e]{1,128}$/;

/** A random prefix that distinguishes the request ids of this process from those of other processes. */
const PREFIX = `${randomBytes(6).toString("hex")}-`;

let count = 0;

/** Returns the request id that the client sent, if it matches `VALID_ID`, and otherwise a new request id. */
export function chooseRequestId(given: string | undefined): string {
  if (given !== undefined && VALID_ID.test(given)) return given;
  count++;
  return PREFIX + count;
}
