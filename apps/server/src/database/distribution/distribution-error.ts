/** A database that cannot be distributed as it is. The message is one line that says what to do. */
export class DistributionError extends Error {
  override readonly name = "DistributionError";
}
