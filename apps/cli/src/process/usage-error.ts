/** An invalid argument, or an invalid file that an argument names. The message says how to correct it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
