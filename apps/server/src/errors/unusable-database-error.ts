/** A database, or its folder, that cannot be used as it is, or cannot go on. The message says why and what to do. */
export class UnusableDatabaseError extends Error {
  override readonly name = "UnusableDatabaseError";
}
