import pg from "pg";
import { isLostWorkerError, isUnexecutedStatementError } from "./cluster-failure.js";

/**
 * Matches the SQLSTATEs that mean that the server is unavailable:
 *
 * - Class 08: connection exceptions.
 * - Class 28 and 3D000: the server rejects the user, or has no such database. An operator can fix both.
 * - 57P01 to 57P05: the server is shutting down, has crashed, is starting up, or has ended the session.
 * - 25P03, 25P04: the server ended the session, because a transaction was idle for too long or took too long.
 * - 53300: too many connections.
 * - 25006: the server is no longer the primary.
 */
const UNAVAILABLE_STATE = /^(?:08...|28...|3D000|57P0[1-5]|25P0[34]|53300|25006)$/;

const QUERY_CANCELED = "57014";

/** Matches messages of errors from `pg` and its pool that mean that the server is unreachable. These errors have no code. */
const UNREACHABLE_MESSAGE =
  /^(?:Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/;

/** Thrown if the database could not be reached, or if no connection became free in time. */
export class DatabaseUnavailableError extends Error {
  override readonly name: string = "DatabaseUnavailableError";
}

/** Thrown if the connection was lost before the database reported the outcome of a write. The write may have succeeded. */
export class OutcomeUnknownError extends DatabaseUnavailableError {
  override readonly name = "OutcomeUnknownError";

  constructor(cause: unknown) {
    super(`the outcome of a write is unknown: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

/** Thrown if a running statement could not be canceled in time, so that its connection was closed. Has the code of a canceled statement. */
export class ConnectionClosedError extends Error {
  override readonly name = "ConnectionClosedError";
  readonly code = QUERY_CANCELED;

  constructor() {
    super("the database connection was closed, because its statement could not be canceled at the deadline");
  }
}

/** Matches Node's codes for socket and TLS errors that mean that the server is unreachable. */
const UNREACHABLE_SOCKET =
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|EPROTO|ETIMEDOUT|ERR_SSL_.*)$/;

/** Reports whether a statement violated the unique constraint named `constraint` (SQLSTATE 23505). */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return isViolation(error, "23505", constraint);
}

/** Reports whether a statement violated the check named `constraint`, which is a check constraint or a trigger's check (SQLSTATE 23514). */
export function isCheckViolation(error: unknown, constraint: string): boolean {
  return isViolation(error, "23514", constraint);
}

/** Reports whether a statement failed because the database was unavailable. The statement may succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseUnavailableError) return true;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable);
  const code = codeOf(error) ?? "";
  if (isFatal(error)) return true;
  if (UNAVAILABLE_STATE.test(code) || UNREACHABLE_SOCKET.test(code) || UNREACHABLE_MESSAGE.test(error.message))
    return true;
  return isLostWorkerError(code, error.message) || isUnexecutedStatementError(code, error.message, constraintOf(error));
}

/**
 * The effect of a failed statement, according to its error:
 *
 * - `not run`: the statement changed nothing, and may succeed if it is retried.
 * - `unknown`: a connection to the server, or between nodes of a cluster, was lost before the outcome was known.
 * - `ran`: the statement changed nothing, and a retry would fail too. This includes errors that are not from the database.
 */
export type StatementOutcome = "not run" | "unknown" | "ran";

/** Returns the outcome of a statement that was sent to the server and failed with `error`. */
export function getStatementOutcome(error: unknown): StatementOutcome {
  if (!(error instanceof Error)) return "ran";
  if (isTransient(error) || isUnexecutedStatementError(codeOf(error) ?? "", error.message, constraintOf(error)))
    return "not run";
  return error instanceof ConnectionClosedError || isDatabaseUnavailable(error) ? "unknown" : "ran";
}

/** Whether a failed transaction may be retried, because the server rolled it back after a transient failure or a lost connection. */
export function mayRetryTransaction(error: unknown): boolean {
  return getStatementOutcome(error) !== "ran" && !(error instanceof OutcomeUnknownError) && !isCanceledError(error);
}

/** Whether the server ended the session with this error. If the server translates the severity, `UNAVAILABLE_STATE` recognizes the error instead. */
function isFatal(error: Error): boolean {
  return error instanceof pg.DatabaseError && (error.severity === "FATAL" || error.severity === "PANIC");
}

/** Whether a connection is still usable after one of its statements failed. A fatal error may arrive before the connection is closed. */
export function isSessionUsableAfter(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !isDatabaseUnavailable(error) && !isUnusableStatementError(error);
}

/**
 * Reports whether a statement was canceled at the deadline of its request or at `statement_timeout` (SQLSTATE 57014). The statement changed nothing.
 */
export const isCanceledError = hasState(QUERY_CANCELED);

/** Reports whether a statement failed because disk space or memory ran out (SQLSTATE 53100, 53200). The statement changed nothing. */
export const isOutOfResourcesError = hasState("53100", "53200");

/** Reports whether the server rejected the value of a parameter, such as an unknown time zone (SQLSTATE 22023). */
export const isInvalidParameterError = hasState("22023");

/** Reports whether a statement failed because the server is read-only: a standby, or a former primary (SQLSTATE 25006). */
export const isReadOnlyError = hasState("25006");

/** Reports whether a prepared statement can no longer run on its connection: a migration changed its types (0A000), or a proxy dropped it (26000). */
export const isUnusableStatementError = hasState("0A000", "26000");

/** Reports whether a statement could not acquire a lock, because of a timeout or a deadlock (SQLSTATE 55P03, 40P01). */
export const isLockFailure = hasState("55P03", "40P01");

/**
 * Reports whether a failed statement changed nothing and may succeed if it is retried. The causes are serialization failures (40001), lock
 * failures (40P01, 55P03), a read-only server (25006), and prepared statements that are unusable on the connection (26000, 0A000).
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
 * Reports whether an error has the given SQLSTATE and constraint. A Citus coordinator forwards only the text of a worker's error, so the name of the
 * constraint may have to be read from the text. In the text, the name may end in the number of a shard.
 */
function isViolation(error: unknown, state: string, constraint: string): boolean {
  if (codeOf(error) !== state) return false;
  const violated = constraintOf(error);
  if (violated !== undefined) return violated === constraint;
  return new RegExp(`"${constraint}(?:_\\d+)?"`).test(String((error as { readonly message?: unknown }).message));
}
