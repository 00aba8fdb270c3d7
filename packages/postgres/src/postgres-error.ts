import { isCommitPending, isWorkerLost, isWorkerUnreached } from "./cluster-failure.js";
import { UNREACHABLE_MESSAGE } from "./driver-internals.js";

/**
 * SQLSTATEs of a server that is unavailable: class 08 (connection exceptions), class 28 and 3D000 (it rejects the user or lacks the
 * database, which its operator may fix), 57P01 to 57P05 (shutting down, crashed, starting up, session ended), 25P03 (session ended
 * while idle in a transaction), 53300 (too many connections), and 25006 (it is no longer the primary).
 */
const UNAVAILABLE_STATE = /^(?:08...|28...|3D000|57P0[1-5]|25P03|53300|25006)$/;

/** The database could not be reached, or had no free connection in time. */
export class DatabaseUnavailableError extends Error {
  override readonly name: string = "DatabaseUnavailableError";
}

/** The connection was lost before the database told the outcome of a write: it may be done or not. */
export class OutcomeUnknownError extends DatabaseUnavailableError {
  override readonly name = "OutcomeUnknownError";

  constructor(cause: unknown) {
    super(`the outcome of a write is unknown: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

/** Codes of socket errors. */
const UNREACHABLE_SOCKET = new Set([
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

/** Whether a statement failed on a unique constraint of this name (SQLSTATE 23505). */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return isViolation(error, "23505", constraint);
}

/** Whether a statement failed on a check of this name, a constraint's or a trigger's (SQLSTATE 23514). */
export function isCheckViolation(error: unknown, constraint: string): boolean {
  return isViolation(error, "23514", constraint);
}

/** Whether a statement failed because the database was unavailable, so that it may succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseUnavailableError) return true;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable);
  const code = codeOf(error) ?? "";
  if (UNAVAILABLE_STATE.test(code) || UNREACHABLE_SOCKET.has(code) || UNREACHABLE_MESSAGE.test(error.message))
    return true;
  return isWorkerLost(code, error.message) || wasNotDone(error);
}

/**
 * Whether a statement that failed with an error of `isDatabaseUnavailable` may have been done: not if the server was read-only, and
 * not if the server of a cluster that was to run it could not be connected to or was behind.
 */
export function mayBeDone(error: unknown): boolean {
  return !isReadOnly(error) && !(error instanceof Error && wasNotDone(error));
}

function wasNotDone(error: Error): boolean {
  const code = codeOf(error) ?? "";
  return isWorkerUnreached(code, error.message) || isCommitPending(code, error.message, constraintOf(error));
}

/** Whether a statement was cancelled, by the caller's deadline or by `statement_timeout`, which leaves nothing of it behind. */
export const isCancelled = hasState("57014");

/** Whether the database lacks disk space or memory for a statement (SQLSTATE 53100, 53200), which leaves nothing of it behind. */
export const isOutOfResources = hasState("53100", "53200");

/** Whether a statement failed because the server is read-only: a standby, or a former primary. */
export const isReadOnly = hasState("25006");

/**
 * Whether a named statement would keep failing on the connection that it failed on: a migration changed the types of its result
 * (SQLSTATE 0A000), or a proxy dropped it (26000).
 */
export const isStatementUnusable = hasState("0A000", "26000");

/** Whether a statement failed to get a lock: in time, or because of a deadlock (SQLSTATE 55P03, 40P01). */
export const isLockFailure = hasState("55P03", "40P01");

/**
 * Whether a failed statement left nothing behind and may succeed in a moment. It failed to serialize (SQLSTATE 40001) or to get a
 * lock. Or it needs another connection: to the primary, or without the unusable statement.
 */
export const isTransient = hasState("40001", "40P01", "55P03", "25006", "26000", "0A000");

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
 * A Citus coordinator reports only the text of a worker's error, with the constraint's name on the shard, which may end in the
 * shard's number.
 */
function isViolation(error: unknown, state: string, constraint: string): boolean {
  if (codeOf(error) !== state) return false;
  const violated = constraintOf(error);
  if (violated !== undefined) return violated === constraint;
  return new RegExp(`"${constraint}(?:_\\d+)?"`).test(String((error as { readonly message?: unknown }).message));
}
