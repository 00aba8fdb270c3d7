/**
 * SQLSTATEs that say that the server is not to be reached, or not for the moment: class 08 (connection exceptions), 57P01 to
 * 57P03 (shutting down, crashed, starting up) and 53300 (too many connections).
 */
const UNAVAILABLE_STATE = /^(?:08...|57P0[123]|53300)$/;

/** The database could not be reached, or had no connection free in time. */
export class DatabaseUnavailableError extends Error {
  override readonly name = "DatabaseUnavailableError";
}

/** Errors of the socket and of `pg`'s own, which have no SQLSTATE. */
const UNAVAILABLE_SOCKET = new Set(["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "EPIPE", "ETIMEDOUT"]);
const UNAVAILABLE_MESSAGE =
  /^(?:Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error)/;

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
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return UNAVAILABLE_STATE.test(code) || UNAVAILABLE_SOCKET.has(code) || UNAVAILABLE_MESSAGE.test(error.message);
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
