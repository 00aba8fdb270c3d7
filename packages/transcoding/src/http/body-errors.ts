import { Code, ConnectError } from "@connectrpc/connect";
import { RequestError } from "./request-error.js";

/** Creates the error of a call whose client disconnected. */
export function createDisconnectError(): ConnectError {
  return new ConnectError("the client disconnected", Code.Canceled);
}

/** Creates the error of a body that other code in the server has already read. */
export function createBodyAlreadyReadError(): ConnectError {
  return new ConnectError(
    "the request body has already been read: serve the transcoder before any middleware that reads bodies",
    Code.Internal,
  );
}

/** Creates the error of a body larger than `maxBytes`. */
export function createBodyTooLargeError(maxBytes: number): RequestError {
  return new RequestError("BODY_TOO_LARGE", `the body must be at most ${maxBytes} bytes`);
}

/** Creates the error of a message larger than `maxBytes`, in protocols whose bodies contain framed messages. */
export function createMessageTooLargeError(maxBytes: number): RequestError {
  return new RequestError("BODY_TOO_LARGE", `the message must be at most ${maxBytes} bytes`);
}
