/** The server refused the rest of a body, and has responded. */
export class BodyRefusedError extends Error {
  override readonly name = "BodyRefusedError";

  constructor() {
    super("the rest of the body was rejected");
  }
}
