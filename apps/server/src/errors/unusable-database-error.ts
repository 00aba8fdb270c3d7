/** Thrown if a database or its directory cannot be used. The message says why and what to do. */
export class UnusableDatabaseError extends Error {
  override readonly name = "UnusableDatabaseError";
}
