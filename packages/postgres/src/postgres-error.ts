import pg from "pg";
import { isNotExecuted, isWorkerLost } from "./cluster-failure.js";

/**
 * SQLSTATEs of an unavailable server:
 *
 * - Class 08: connection exceptions.
 * - Class 28 and 3D000: the server rejects the user or has no such database, which an operator can fix.
 * - 57P01 to 57P05: the server is shutting down, crashed or starting up, or it ended the session.
 * - 25P03, 25P04: a transaction was idle for too long, or took too long, and the server ended the session.
 * - 53300: too many connections.
 * - 25006: the server is no longer the primary.
 */
const UNAVAILABLE_STATE = /^(?:08...|28...|3D000|57P0[1-5]|25P0[34]|53300|25006)$/;

const QUERY_CANCELED = "57014";

/** Messages of errors from `pg` and its pool that have no code and mean that the server is unreachable. */
const UNREACHABLE_MESSAGE =
  /^(?:Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/;

/** The database could not be reached, or no connection became free in time. */
export class DatabaseUnavailableError extends Error {
  override readonly name: string = "DatabaseUnavailableError";
}

/** The connection was lost before the database reported the outcome of a write, which may have succeeded. */
export class OutcomeUnknownError extends DatabaseUnavailableError {
  override readonly name = "OutcomeUnknownError";

  constructor(cause: unknown) {
    super(`the outcome of a write is unknown: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

/** A running statement could not be canceled in time, so its connection was closed. The code is the same as for a canceled statement. */
export class ConnectionClosedError extends Error {
  override readonly name = "ConnectionClosedError";
  readonly code = QUERY_CANCELED;

  constructor() {
    super("the connection was closed at the deadline of a statement");
  }
}

/** Node's codes for socket and TLS errors. */
const UNREACHABLE_SOCKET =
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|EPROTO|ETIMEDOUT|ERR_SSL_.*)$/;

/** Reports whether a statement violated the unique constraint of this name (SQLSTATE 23505). */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return isViolation(error, "23505", constraint);
}

/** Reports whether a statement violated the check of this name, made by a constraint or a trigger (SQLSTATE 23514). */
export function isCheckViolation(error: unknown, constraint: string): boolean {
  return isViolation(error, "23514", constraint);
}

/** Reports whether a statement failed because the database was unavailable, so that it may succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseUnavailableError) return true;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable);
  const code = codeOf(error) ?? "";
  if (isFatal(error)) return true;
  if (UNAVAILABLE_STATE.test(code) || UNREACHABLE_SOCKET.test(code) || UNREACHABLE_MESSAGE.test(error.message))
    return true;
  return isWorkerLost(code, error.message) || isNotExecuted(code, error.message, constraintOf(error));
}

/**
 * What the error of a statement says about its effect:
 *
 * - `not run`: it changed nothing, and may succeed if retried.
 * - `unknown`: the connection to the server, or between nodes of a cluster, was lost before the outcome was known.
 * - `ran`: the server reported an error that a retry would repeat, or the error is not from the database. The statement changed nothing.
 */
export type StatementOutcome = "not run" | "unknown" | "ran";

/** Returns the outcome of a sent statement that failed with this error. */
export function statementOutcome(error: unknown): StatementOutcome {
  if (!(error instanceof Error)) return "ran";
  if (isTransient(error) || isNotExecuted(codeOf(error) ?? "", error.message, constraintOf(error))) return "not run";
  return error instanceof ConnectionClosedError || isDatabaseUnavailable(error) ? "unknown" : "ran";
}

/** Whether a failed transaction may be retried: the server rolled it back after a transient failure or a lost connection. */
export function mayRetryTransaction(error: unknown): boolean {
  return statementOutcome(error) !== "ran" && !(error instanceof OutcomeUnknownError) && !isCancelled(error);
}

/** Whether the server ended the session with the error. A server may translate the severity; `UNAVAILABLE_STATE` covers that case. */
function isFatal(error: Error): boolean {
  return error instanceof pg.DatabaseError && (error.severity === "FATAL" || error.severity === "PANIC");
}

/** Whether a connection can be used after a statement failed on it. A fatal error may arrive before its connection is closed. */
export function isSessionUsable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !isDatabaseUnavailable(error) && !isStatementUnusable(error);
}

/** Reports whether a statement was canceled at the caller's deadline or at `statement_timeout`, and changed nothing (SQLSTATE 57014). */
export const isCancelled = hasState(QUERY_CANCELED);

/** Reports whether a statement failed for lack of disk space or memory, and changed nothing (SQLSTATE 53100, 53200). */
export const isOutOfResources = hasState("53100", "53200");

/** Reports whether the server rejected the value of a parameter, such as an unknown time zone (SQLSTATE 22023). */
export const isUnknownValue = hasState("22023");

/** Reports whether a statement failed because the server is read-only: a standby, or a former primary. */
export const isReadOnlyError = hasState("25006");

/** Reports whether a named statement always fails on its connection: a migration changed its types (0A000), or a proxy dropped it (26000). */
export const isStatementUnusable = hasState("0A000", "26000");

/** Reports whether a statement could not acquire a lock, because of a timeout or a deadlock (SQLSTATE 55P03, 40P01). */
export const isLockFailure = hasState("55P03", "40P01");

/**
 * Reports whether a failed statement changed nothing and may succeed if retried: after a serialization failure (SQLSTATE 40001) or a lock
 * failure, or on another connection that reaches the primary or lacks the unusable statement.
 */
const isTransient = hasState("40001", "40P01", "55P03", "25006", "26000", "0A000");

function hasState(...states: readonly string[]): (error: unknown) => boolean {
  return (error) => states.includes(codeOf(error) ?? "");
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

function constraintOf(error: unknown): unknown {
  return (error as { readonly constraint?: unknown }).constraint;
}

/**
 * Reads the constraint from the text of an error that has no separate name, because a Citus coordinator forwards only the text of a
 * worker's error. The name in the text may end in the number of the shard.
 */
function isViolation(error: unknown, state: string, constraint: string): boolean {
  if (codeOf(error) !== state) return false;
  const violated = constraintOf(error);
  if (violated !== undefined) return violated === constraint;
  return new RegExp(`"${constraint}(?:_\\d+)?"`).test(String((error as { readonly message?: unknown }).message));
}
