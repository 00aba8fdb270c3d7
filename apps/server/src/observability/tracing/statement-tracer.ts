import { type Attributes, ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import type { DatabaseLocation } from "../../storage/database.js";
import { activeSpans } from "./active-spans.js";
import { summarizeStatement } from "./statement-summary.js";
import type { Tracing } from "./tracing.js";

/**
 * Creates what traces statements: a span of a client for each run, within those of the requests that it was run for. It has the
 * statement's text, which has none of the values that it is run with, and of an error the SQLSTATE, as its message may have some.
 *
 * See https://opentelemetry.io/docs/specs/semconv/database/postgresql/
 */
export function createStatementTracer(tracer: Tracer, location: DatabaseLocation): Tracing["statement"] {
  const database = describeDatabase(location);
  return (sql, startedAt, error) => {
    for (const request of activeSpans.getStore() ?? []) {
      if (!request.isRecording()) continue;
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
    }
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
