import type { StatementTrace } from "@calltrack/postgres";
import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { DatabaseLocation } from "../../config/database-location.js";
import { summarizeStatement } from "./statement-summary.js";

/** Traces the statements of a request, whose span this is. */
export type StatementTracer = (request: Span) => StatementTrace;

/**
 * Creates what traces statements: a client span for each run, within the span of the request. It has the statement's text, without
 * the values, and the SQLSTATE of an error, whose message may have values.
 *
 * See https://opentelemetry.io/docs/specs/semconv/database/postgresql/
 */
export function createStatementTracer(tracer: Tracer, location: DatabaseLocation): StatementTracer {
  const database = describeDatabase(location);
  return (request) => (sql, startedAt, error) => {
    if (!request.isRecording()) return;
    const { operation, summary } = summarizeStatement(sql);
    const attributes: Attributes = {
      ...database,
      "db.query.text": sql,
      "db.query.summary": summary,
      "db.operation.name": operation,
    };
    const options = { kind: SpanKind.CLIENT, attributes, startTime: performance.timeOrigin + startedAt };
    const span = tracer.startSpan(summary, options, trace.setSpan(ROOT_CONTEXT, request));
    if (error !== undefined) {
      const code = errorCode(error);
      span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute("error.type", code);
      if (/^[\dA-Z]{5}$/.test(code)) span.setAttribute("db.response.status_code", code);
    }
    span.end(performance.timeOrigin + performance.now());
  };
}

/** Where the statements go, without the user and the password. */
function describeDatabase(location: DatabaseLocation): Attributes {
  const attributes: Attributes = { "db.system.name": "postgresql" };
  const url = location.kind === "postgres" ? URL.parse(location.url) : null;
  if (url === null) return attributes;
  return {
    ...attributes,
    "db.namespace": decodeURIComponent(url.pathname.slice(1)),
    "server.address": url.hostname,
    "server.port": Number(url.port || 5432),
  };
}

function errorCode(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : error instanceof Error ? error.name : "_OTHER";
}
