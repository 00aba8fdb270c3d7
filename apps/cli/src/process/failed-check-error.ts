/** A check found something wrong, which is on stdout. */
export class FailedCheckError extends Error {
  override readonly name = "FailedCheckError";
}
