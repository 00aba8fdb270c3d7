import { ConnectError } from "@connectrpc/connect";
import { isNeverSent, isUnreachable } from "./unreachable.js";

/** A request got no response, so it is unknown whether it took effect. The message says what to do; the cause is the connection error. */
export class UnansweredError extends Error {
  override readonly name = "UnansweredError";

  constructor(message: string, cause: unknown) {
    super(message, { cause });
  }
}

/** Rethrows the error of a failed request, as an {@link UnansweredError} with the remedy if the request may have taken effect. */
export function throwWithRemedy(error: unknown, remedy: string): never {
  const isUnanswered = error instanceof ConnectError && isUnreachable(error) && !isNeverSent(error);
  throw isUnanswered ? new UnansweredError(remedy, error) : error;
}
