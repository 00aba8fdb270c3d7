import type { IncomingHttpHeaders } from "node:http";
import type { Stall } from "@calltrack/http2";
import type { Code, ContextKey, ContextValues, HandlerContext } from "@connectrpc/connect";
import type { Span } from "@opentelemetry/api";
import { REQUEST_ID_HEADER, requestIdOf } from "./request-id.js";
import type { RequestSource } from "./request-source.js";

const RECORD = Symbol("RequestRecord");

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/;

interface Recorded {
  [RECORD]?: RequestRecord;
}

/** Observes and ends one kind of in-flight request. */
export interface RequestExpiry {
  /**
   * A number that changes when bytes are received or sent. Undefined while the server waits for the client: for the rest of the request,
   * or for the client to read the answer.
   */
  progressOf(record: RequestRecord): number | undefined;
  /** Answers that the deadline is exceeded, or cuts off an answer that has begun. */
  expire(record: RequestRecord): void;
}

/**
 * What is known of a request, from its head to the end of its answer. It is the call's context values too, so that all that
 * sees a call finds it.
 */
export class RequestRecord implements ContextValues {
  readonly id: string;
  /** What the request came as. */
  readonly source: RequestSource;
  /** In the time of `performance.now()`. */
  readonly startedAt = performance.now();
  /** The call that it is; undefined for one that calls no method, or fails before it is known which. */
  call: HandlerContext | undefined = undefined;
  /** Why the call failed, where the server itself has refused it or met with an error. */
  failure: Code | undefined = undefined;
  /** Whether the implementation has answered, where only that tells a success. */
  isAnswered = false;

  /** That of a request that is traced. */
  span: Span | undefined = undefined;

  /** Ends the request at its deadline; undefined before the request is watched. */
  expiry: RequestExpiry | undefined = undefined;
  /** Its index among the watched requests. */
  place = -1;
  /** Created at the first check, which most requests do not live to see. */
  stall: Stall | undefined = undefined;
  isOver = false;

  constructor(source: RequestSource) {
    this.id = requestIdOf(source.headers[REQUEST_ID_HEADER]);
    this.source = source;
  }

  get headers(): IncomingHttpHeaders {
    return this.source.headers;
  }

  /** The method of HTTP. */
  get verb(): string {
    return ("method" in this.source ? this.source.method : undefined) ?? "POST";
  }

  get scheme(): string {
    const { headers } = this.source;
    if (headers[":scheme"] !== undefined) return String(headers[":scheme"]);
    return "socket" in this.source && "encrypted" in this.source.socket ? "https" : "http";
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

/** Hangs a record on what it is of: a request, or the stream of a gRPC call. */
export function setRecord(source: RequestSource, record: RequestRecord): void {
  (source as Recorded)[RECORD] = record;
}

/** The record of a request, or of the stream of a gRPC call, once it has one. */
export function recordOf(source: RequestSource): RequestRecord {
  return (source as Recorded)[RECORD] as RequestRecord;
}

/** The record of the request of a call; undefined for a call that did not come over the network. */
export function recordOfCall(values: ContextValues): RequestRecord | undefined {
  return values instanceof RequestRecord ? values : undefined;
}
