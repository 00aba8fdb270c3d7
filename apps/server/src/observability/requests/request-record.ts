import type { IncomingHttpHeaders } from "node:http";
import type { Exchange, ProgressTimeout } from "@calltrack/http";
import type { Code, ContextKey, ContextValues, HandlerContext } from "@connectrpc/connect";
import type { Span } from "@opentelemetry/api";
import type { Outcome } from "./outcome.js";
import { REQUEST_ID_HEADER, requestIdOf } from "./request-id.js";

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/;

/**
 * What the server knows about a request, from its head to the end of its response. It is also the context values of the call, so that
 * interceptors and handlers find it.
 */
export class RequestRecord implements ContextValues {
  readonly id: string;
  readonly exchange: Exchange;
  /** In the time of `performance.now()`. */
  readonly startedAt = performance.now();
  /** The call that it is; undefined for one that calls no method, or fails before it is known which. */
  call: HandlerContext | undefined = undefined;
  /** The code of a failure that the server recorded before the response was sent. */
  failure: Code | undefined = undefined;
  /** The status in the trailers of a gRPC call; undefined before they are sent, and for other protocols. */
  outcome: Outcome | undefined = undefined;
  /** Whether the server refused the request by its head, or because of its body, before it was routed. */
  isRefused = false;
  /** Whether the implementation has answered, where only that tells a success. */
  isAnswered = false;

  /** That of a request that is traced. */
  span: Span | undefined = undefined;

  /** Its index among the watched requests. */
  place = -1;
  /** Created at the first check, which most requests do not live to see. */
  stall: ProgressTimeout | undefined = undefined;

  constructor(exchange: Exchange) {
    this.id = requestIdOf(exchange.headers[REQUEST_ID_HEADER]);
    this.exchange = exchange;
  }

  get headers(): Readonly<IncomingHttpHeaders> {
    return this.exchange.headers;
  }

  /** The id of the trace that the request is part of, by itself or by its caller's word; undefined if it is part of none. */
  get traceId(): string | undefined {
    return this.span?.spanContext().traceId ?? TRACEPARENT.exec(String(this.headers.traceparent))?.[1];
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

const RECORD = Symbol("RequestRecord");

/** Attaches a record to its exchange, or to the request of Node's server behind it. */
export function setRecord(source: object, record: RequestRecord): void {
  (source as { [RECORD]?: RequestRecord })[RECORD] = record;
}

/** The record of an exchange, or of a request of Node's server; undefined before it has one. */
export function findRecord(source: object): RequestRecord | undefined {
  return (source as { [RECORD]?: RequestRecord })[RECORD];
}

/** The record of the request of a call; undefined for a call that did not come over the network. */
export function recordOfCall(values: ContextValues): RequestRecord | undefined {
  return values instanceof RequestRecord ? values : undefined;
}

/** Records the code of a failed call, unless the server recorded one before; undefined if the implementation has answered. */
export function recordOutcome(values: ContextValues, code: Code | undefined): void {
  const record = recordOfCall(values);
  if (record === undefined) return;
  if (code === undefined) record.isAnswered = true;
  else record.failure ??= code;
}
