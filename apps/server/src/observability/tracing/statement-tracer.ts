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

/** What a statement does, in few words. */
interface StatementSummary {
  /** Such as `SELECT`. */
  readonly operation: string;
  /** The operation and the table that it is about: `INSERT pools`. */
  readonly summary: string;
}

/** Texts beyond this many are looked at anew each time. */
const MOST_KNOWN = 500;

const WRITE = /\b(insert) into "(\w+)"|\b(update) "(\w+)"|\b(delete) from "(\w+)"/;
const READ = /\bfrom "(\w+)"/;

const known = new Map<string, StatementSummary>();

/** Says what a statement does by its text: what it writes, or what it reads first. */
function summarizeStatement(sql: string): StatementSummary {
  const found = known.get(sql);
  if (found !== undefined) return found;
  const summary = summarize(sql);
  if (known.size < MOST_KNOWN) known.set(sql, summary);
  return summary;
}

function summarize(sql: string): StatementSummary {
  const [verb, table] =
    WRITE.exec(sql)
      ?.slice(1)
      .filter((part) => part !== undefined) ?? [];
  if (verb !== undefined) return { operation: verb.toUpperCase(), summary: `${verb.toUpperCase()} ${table}` };
  const [, source] = READ.exec(sql) ?? [];
  const first = /^\s*(\w+)/.exec(sql)?.[1]?.toUpperCase() ?? "";
  const operation = first === "WITH" ? "SELECT" : first;
  return { operation, summary: source === undefined ? operation : `${operation} ${source}` };
}

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
