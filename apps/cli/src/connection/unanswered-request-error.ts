import { ConnectError } from "@connectrpc/connect";
import { isRequestNotSentError, isUnreachableError } from "./unreachable-error.js";

/** A request got no response, so it is unknown whether it took effect. The message says what to do; the cause is the connection error. */
export class UnansweredRequestError extends Error {
  override readonly name = "UnansweredRequestError";

  constructor(message: string, cause: unknown) {
    super(message, { cause });
  }
}

/**
 * Throws an {@link UnansweredRequestError} with `remedy` as its message if the failed request may have taken effect. Otherwise, throws `error`
 * itself.
 */
export function rethrowWithRemedyIfUnanswered(error: unknown, remedy: string): never {
  const isUnanswered = error instanceof ConnectError && isUnreachableError(error) && !isRequestNotSentError(error);
  throw isUnanswered ? new UnansweredRequestError(remedy, error) : error;
}
