/** A check found something wrong, which is on stdout. */
export class FailedCheckError extends Error {
  override readonly name = "FailedCheckError";

  /** @param checks the names of the failed checks. */
  constructor(checks: readonly string[]) {
    super(`failed: ${checks.join(", ")}`);
  }
}
