/** A check failed. Its findings are on stdout, and the message summarizes them. */
export class FailedCheckError extends Error {
  override readonly name = "FailedCheckError";
}
