import { isCommitPending, isWorkerLost, isWorkerUnreached } from "./cluster-failure.js";

/**
 * SQLSTATEs that say that the server is not to be reached, or not for the moment: class 08 (connection exceptions), class 28 and
 * 3D000 (it turns the user away, or does not have the database, which whoever runs it may mend), 57P01 to 57P05 (shutting down,
 * crashed, starting up, session ended), 25P03 (session ended, as it was idle in a transaction), 53300 (too many connections), and
 * 25006: it is not the primary any more.
 */
const UNAVAILABLE_STATE = /^(?:08...|28...|3D000|57P0[1-5]|25P03|53300|25006)$/;

/** `query_canceled`: by the caller's deadline or by `statement_timeout`. */
const CANCELLED_STATE = "57014";

/** `read_only_sql_transaction` */
const READ_ONLY_STATE = "25006";

/**
 * SQLSTATEs of failures that come of what else happens at the moment, after which nothing of the statement is left: 40001 and
 * 40P01 (serialization, deadlock), 55P03 (a lock that was not to be had), 25006 (see above), and those of an unusable statement,
 * which another connection does not have.
 */
const TRANSIENT_STATES = new Set(["40001", "40P01", "55P03", READ_ONLY_STATE, "26000", "0A000"]);

/** `lock_not_available` and `deadlock_detected` */
const LOCK_FAILURES = new Set(["55P03", "40P01"]);

/**
 * SQLSTATEs that a named statement fails with for ever on its connection: its result has other types since a migration
 * (0A000), or something between here and the server has dropped it (26000).
 */
const UNUSABLE_STATEMENT = new Set(["0A000", "26000"]);

/** `disk_full` and `out_of_memory`: nothing of the statement is left. */
const OUT_OF_RESOURCES = new Set(["53100", "53200"]);

/** The database could not be reached, or had no connection free in time. */
export class DatabaseUnavailableError extends Error {
  override readonly name: string = "DatabaseUnavailableError";
}

/** The connection was lost before the database said what became of a statement that changes rows: it may be done, or not. */
export class OutcomeUnknownError extends DatabaseUnavailableError {
  override readonly name = "OutcomeUnknownError";

  constructor(cause: unknown) {
    super(`it is not known what became of a write: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

/** Errors of the socket and of `pg`'s own, which have no SQLSTATE. */
const UNAVAILABLE_SOCKET = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
]);
const UNAVAILABLE_MESSAGE =
  /^(?:Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/;

/** Whether a statement failed on a unique constraint of this name (SQLSTATE 23505). */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return isViolation(error, "23505", constraint);
}

/** Whether a statement failed on a check of this name, be it a constraint or a trigger (SQLSTATE 23514). */
export function isCheckViolation(error: unknown, constraint: string): boolean {
  return isViolation(error, "23514", constraint);
}

/** Whether a statement failed as the database could not be reached, so that the same statement may succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseUnavailableError) return true;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable);
  const code = codeOf(error) ?? "";
  if (UNAVAILABLE_STATE.test(code) || UNAVAILABLE_SOCKET.has(code) || UNAVAILABLE_MESSAGE.test(error.message))
    return true;
  return isWorkerLost(code, error.message) || wasNotDone(code, error.message);
}

/**
 * Whether a statement may have been done although it failed with an error of `isDatabaseUnavailable`: not if the server takes only
 * reads, or if the server of its cluster that was to run the statement could not be connected to, or was behind.
 */
export function mayBeDone(error: unknown): boolean {
  return !isReadOnly(error) && !(error instanceof Error && wasNotDone(codeOf(error) ?? "", error.message));
}

function wasNotDone(code: string, message: string): boolean {
  return isWorkerUnreached(code, message) || isCommitPending(code, message);
}

/** Whether a statement was cancelled, so that nothing of it is left (SQLSTATE 57014). */
export function isCancelled(error: unknown): boolean {
  return codeOf(error) === CANCELLED_STATE;
}

/** Whether the database lacks the disk space or the memory for a statement (SQLSTATE 53100 and 53200). Nothing of it is left. */
export function isOutOfResources(error: unknown): boolean {
  return OUT_OF_RESOURCES.has(codeOf(error) ?? "");
}

/** Whether a statement failed as the server takes only reads: it is a standby, or a primary that was replaced. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === READ_ONLY_STATE;
}

/** Whether a named statement is of no use any more on the connection that it failed on. */
export function isStatementUnusable(error: unknown): boolean {
  return UNUSABLE_STATEMENT.has(codeOf(error) ?? "");
}

/** Whether a statement failed as another session has locked what it needs: in time, or in a circle (55P03, 40P01). */
export function isLockFailure(error: unknown): boolean {
  return LOCK_FAILURES.has(codeOf(error) ?? "");
}

/** Whether nothing is left of a statement that failed, and the same may succeed in a moment. */
export function isTransient(error: unknown): boolean {
  return TRANSIENT_STATES.has(codeOf(error) ?? "");
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

/**
 * Of an error of a worker, a distributed database tells the text only, in which the constraint has the name that it has on the
 * shard: it may end in the shard's number.
 */
function isViolation(error: unknown, state: string, constraint: string): boolean {
  const fields = error as { code?: unknown; constraint?: unknown; message?: unknown } | undefined;
  if (fields?.code !== state) return false;
  if (fields.constraint !== undefined) return fields.constraint === constraint;
  return new RegExp(`"${constraint}(?:_\\d+)?"`).test(String(fields.message));
}
