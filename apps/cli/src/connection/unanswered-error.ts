/**
 * A request that got no response, so it is unknown whether it took effect. The message says what to do; the cause is
 * the connection error.
 */
export class UnansweredError extends Error {
  override readonly name = "UnansweredError";

  constructor(message: string, cause: unknown) {
    super(message, { cause });
  }
}
