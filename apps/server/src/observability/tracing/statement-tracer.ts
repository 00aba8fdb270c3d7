import type { StatementTrace } from "@calltrack/postgres";
import { parseConnectionUrl } from "@calltrack/postgres/connection-url";
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

interface StatementSummary {
  /** The SQL command, such as `SELECT`. */
  readonly operation: string;
  /** The SQL command and the table, such as `INSERT pools`. */
  readonly summary: string;
}

const MAX_CACHED_SUMMARIES = 500;

const WRITE = /\b(insert) into "(\w+)"|\b(update) "(\w+)"|\b(delete) from "(\w+)"/;
const READ = /\bfrom "(\w+)"/;

const summaries = new Map<string, StatementSummary>();

/** Summarizes a statement by its command and one table: the table that it writes or, if it writes none, the first table that it reads. */
function summarizeStatement(sql: string): StatementSummary {
  const found = summaries.get(sql);
  if (found !== undefined) return found;
  const summary = summarize(sql);
  if (summaries.size < MAX_CACHED_SUMMARIES) summaries.set(sql, summary);
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

/** Returns the function that traces the statements of a request. `request` is the span of the request. */
export type StatementTracer = (request: Span) => StatementTrace;

/**
 * Creates a tracer for SQL statements. Each execution gets a client span within the span of its request. The client span contains the text
 * of the statement without parameter values, and the SQLSTATE of an error. It omits error messages, because they may contain values.
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

/** Returns the span attributes of the database server, without the user and the password. */
function describeDatabase(location: DatabaseLocation): Attributes {
  const attributes: Attributes = { "db.system.name": "postgresql" };
  if (location.kind !== "postgres") return attributes;
  const { database = "", host = "", port = 5432 } = parseConnectionUrl(location.url).client;
  return { ...attributes, "db.namespace": database, "server.address": host, "server.port": port };
}

function errorCode(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : error instanceof Error ? error.name : "_OTHER";
}
