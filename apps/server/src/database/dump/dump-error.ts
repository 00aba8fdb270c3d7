/** A dump that cannot be made or restored. The message is one line that says what is wrong and what to do. */
export class DumpError extends Error {
  override readonly name = "DumpError";
}
