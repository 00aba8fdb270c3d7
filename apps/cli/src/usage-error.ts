/** What the user wrote is wrong: an argument, or a file that it names. The message says what would be right. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
