import { Code, ConnectError } from "@connectrpc/connect";
import { RequestError } from "./request-error.js";

/** The error of a call whose client has disconnected. */
export function clientGone(): ConnectError {
  return new ConnectError("the client disconnected", Code.Canceled);
}

/** The error of a body that is gone because something else in the server has read it. */
export function bodyAlreadyRead(): ConnectError {
  return new ConnectError(
    "the request body has already been read: serve the transcoder before any middleware that reads bodies",
    Code.Internal,
  );
}

/** The error of a body with more than `maxBytes`. */
export function bodyTooLarge(maxBytes: number): RequestError {
  return new RequestError("BODY_TOO_LARGE", `the body must be at most ${maxBytes} bytes`);
}

/** The error of a message with more than `maxBytes`, where a body has several or has more around it. */
export function messageTooLarge(maxBytes: number): RequestError {
  return new RequestError("BODY_TOO_LARGE", `the message must be at most ${maxBytes} bytes`);
}
