import type { DescMessage } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { RequestError } from "./request-error.js";

export function createDisconnectError(): ConnectError {
  return new ConnectError("the client disconnected", Code.Canceled);
}

/**
 * Creates the error that the receiver of a body gets after the server has rejected the rest of the body. The error states no reason, because the
 * response tells the client the reason.
 */
export function createBodyRejectedError(): ConnectError {
  return new ConnectError("the server rejected the rest of the request body", Code.Canceled);
}

/** Creates the error for a request whose body other code in the server has already read. */
export function createBodyAlreadyReadError(): ConnectError {
  return new ConnectError(
    "the request body has already been read: serve the transcoder before any middleware that reads bodies",
    Code.Internal,
  );
}

/** @param what the thing that is too large: `message` in protocols whose bodies contain framed messages. */
export function createBodyTooLargeError(maxBytes: number, what: "body" | "message" = "body"): RequestError {
  return new RequestError("BODY_TOO_LARGE", `the ${what} must be at most ${maxBytes} bytes`);
}

/**
 * Maximum number of values in a request message: fields, list items and map entries at any depth, including unknown and repeated fields.
 * Decoding so many values takes milliseconds. Without the limit, a body of 4 MiB could contain over a million empty messages.
 */
export const MAX_MESSAGE_VALUES = 50_000;

/** @param field the top-level field that contains the first value beyond the limit; empty if unknown. */
export function createTooManyValuesError(field = ""): RequestError {
  const description = `exceeds the limit of ${MAX_MESSAGE_VALUES} values in a request: send several smaller requests`;
  return new RequestError("FIELD_INVALID", `${field} ${description}`.trimStart(), {
    violations: [{ field, description }],
  });
}

export function createMalformedMessageError({ typeName }: DescMessage): RequestError {
  return new RequestError("BODY_MALFORMED", `the message must be a ${typeName} in protobuf binary format`);
}
