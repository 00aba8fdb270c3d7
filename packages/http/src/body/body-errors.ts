/** A body is larger than it may be. */
export class BodyTooLargeError extends Error {
  override readonly name = "BodyTooLargeError";

  constructor(readonly maxBytes: number) {
    super(`the body must be at most ${maxBytes} bytes`);
  }
}

/** The rest of a body will not arrive because the client has gone. */
export class ClientGoneError extends Error {
  override readonly name = "ClientGoneError";

  constructor() {
    super("the client disconnected");
  }
}

/** The server refused the rest of a body, and has responded. */
export class BodyRefusedError extends Error {
  override readonly name = "BodyRefusedError";

  constructor() {
    super("the rest of the body was rejected");
  }
}
