import { randomBytes } from "node:crypto";
import type { NodeRequest, WaitReason } from "@calltrack/transcoding/node";
import type { Code, ContextKey, ContextValues, HandlerContext } from "@connectrpc/connect";
import type { Span } from "@opentelemetry/api";
import type { RequestRoute } from "./request-route.js";

/** The header with the id of a request. Clients may send it; every response has it. */
export const REQUEST_ID_HEADER = "x-request-id";

/** The traceparent header (https://www.w3.org/TR/trace-context/#traceparent-header). */
const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/;

export type RequestProtocol = "json" | "grpc" | "grpc-web" | "connect";

const GRPC = /^application\/grpc(-web)?/;

/**
 * The state of a request, from its head to the end of its response. It is also the context values of its RPC, so that interceptors
 * and handlers can access it.
 */
export class RequestState implements ContextValues {
  readonly id: string;
  readonly request: NodeRequest;
  /** When the request began, on the clock of `performance.now()`. */
  readonly startedAt = performance.now();
  /** The RPC context; undefined until the request is routed to a method, and for requests that call no method. */
  rpc: HandlerContext | undefined = undefined;
  /** The code of a failure that the server recorded before the response was sent. */
  failure: Code | undefined = undefined;
  /** Undefined for a request that the HTTP server rejects. */
  route: RequestRoute | undefined = undefined;
  /** Whether the server rejected the request because of its head, its body, or a limit. */
  isRefused = false;
  /** Whether the implementation returned a response. Needed for gRPC, where a failed RPC has the HTTP status 200 too. */
  isAnswered = false;

  /** The server span of the trace; undefined if tracing is off. */
  span: Span | undefined = undefined;

  /** Whether the request counts toward the concurrency limit. */
  isCounted = false;
  /** Whether the request counts toward the limit of open streams. */
  isOpenStream = false;
  /** For `RequestWatch`: the index in its list, what the request waits for, and its progress and the time when these last changed. */
  watchIndex = -1;
  waitsFor: WaitReason = "sender";
  progress = 0;
  waitsSince = this.startedAt;

  constructor(request: NodeRequest) {
    this.id = requestIdOf(request.header(REQUEST_ID_HEADER));
    this.request = request;
  }

  /** The trace id of the server span or, failing that, of the caller's traceparent header; undefined without either. */
  get traceId(): string | undefined {
    return this.span?.spanContext().traceId ?? TRACEPARENT.exec(this.request.header("traceparent") ?? "")?.[1];
  }

  /** The content type determines the protocol of a request that was not routed to a method. */
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

/** Returns the request state, which is the context values of an RPC or a request; undefined if the values are others. */
export function requestStateOf(values: ContextValues | undefined): RequestState | undefined {
  return values instanceof RequestState ? values : undefined;
}

/** Records the outcome of an RPC. `code` is undefined if the implementation returned a response, and ignored if one has been recorded. */
export function recordOutcome(values: ContextValues, code: Code | undefined): void {
  const state = requestStateOf(values);
  if (state === undefined) return;
  if (code === undefined) state.isAnswered = true;
  else state.failure ??= code;
}

/** Visible ASCII, which is safe to write to any log. */
const VALID_ID = /^[\x21-\x7e]{1,128}$/;

/** Prefix of the ids that this process generates; unique to the process. */
const PREFIX = `${randomBytes(6).toString("hex")}-`;

let count = 0;

/** Returns the client's id if it consists of 1 to 128 visible ASCII characters, and a new id otherwise. */
export function requestIdOf(given: string | undefined): string {
  if (given !== undefined && VALID_ID.test(given)) return given;
  count++;
  return PREFIX + count;
}
