/** A request that was not answered, so that it may have been done or not. The message says what to do; the cause is why. */
export class UnansweredError extends Error {
  override readonly name = "UnansweredError";

  constructor(message: string, cause: unknown) {
    super(message, { cause });
  }
}
