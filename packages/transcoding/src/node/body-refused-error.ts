/** Tells the reader of a request body that the server refused the rest of it. */
export class BodyRefusedError extends Error {
  override readonly name = "BodyRefusedError";

  constructor() {
    super("The server refused the rest of the request body.");
  }
}
