import type { DescMessage } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { RequestError } from "./request-error.js";

/** Creates the error of an RPC whose client disconnected. */
export function createDisconnectError(): ConnectError {
  return new ConnectError("the client disconnected", Code.Canceled);
}

/** Creates the error of a body whose rest the server refused. The client gets the reason in the response. */
export function createBodyRefusedError(): ConnectError {
  return new ConnectError("the server refused the rest of the request body", Code.Canceled);
}

/** Creates the error of a body that other code in the server has already read. */
export function createBodyAlreadyReadError(): ConnectError {
  return new ConnectError(
    "the request body has already been read: serve the transcoder before any middleware that reads bodies",
    Code.Internal,
  );
}

/** Creates the error of a body larger than `maxBytes`, or of a message in protocols whose bodies contain framed messages. */
export function createTooLargeError(maxBytes: number, what: "body" | "message" = "body"): RequestError {
  return new RequestError("BODY_TOO_LARGE", `the ${what} must be at most ${maxBytes} bytes`);
}

/**
 * The maximum number of values in a request message: fields, list items and map entries at any depth, with unknown and repeated ones.
 * Decoding that many takes milliseconds. A body of four mebibytes could hold over a million empty messages.
 */
export const MAX_VALUES = 50_000;

/**
 * Creates the error of a message with more than `MAX_VALUES` values.
 *
 * @param field the field of the request message with the first value over the limit; undefined if unknown.
 */
export function createTooManyValuesError(field = ""): RequestError {
  const description = `exceeds the limit of ${MAX_VALUES} values in a request: send several smaller requests`;
  return new RequestError("FIELD_INVALID", `${field} ${description}`.trimStart(), {
    violations: [{ field, description }],
  });
}

/** Creates the error of bytes that are not a message in protobuf binary format. */
export function createMalformedMessageError({ typeName }: DescMessage): RequestError {
  return new RequestError("BODY_MALFORMED", `the message must be a ${typeName} in protobuf binary format`);
}
