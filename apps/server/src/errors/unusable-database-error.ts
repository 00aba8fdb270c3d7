/** Thrown if a database or its data directory cannot be used. The message says why, and what the operator must do. */
export class UnusableDatabaseError extends Error {
  override readonly name = "UnusableDatabaseError";
}
