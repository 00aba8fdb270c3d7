import { Code, ConnectError } from "@connectrpc/connect";
import { requireCodings } from "../responses/content-coding.js";
import { RequestError } from "../responses/request-error.js";
import type { TranscoderRequest } from "../transcoder-request.js";

/** The most bytes of a body where nothing else is said. */
export const DEFAULT_READ_MAX_BYTES = 4 * 1024 * 1024;

const EMPTY = new Uint8Array();

/**
 * The body of a request with its content codings undone. Throws a `RequestError` for an unknown or damaged coding, and for
 * more than `maxBytes`, before or after decoding, without reading or decoding the rest.
 */
export async function readBody(request: TranscoderRequest, maxBytes: number): Promise<Uint8Array> {
  if (!request.hasBody) return EMPTY;
  const contentEncoding = request.header("content-encoding");
  if (contentEncoding === undefined) return request.readBytes(maxBytes);
  const codings = requireCodings(contentEncoding, request.codings);
  let bytes = await request.readBytes(maxBytes);
  for (const coding of codings) bytes = await coding.decode(bytes, maxBytes);
  return bytes;
}

/**
 * Throws a `RequestError` when a request has a body and its rule binds none: RFC 9110 section 9.3.1 gives the content of a
 * GET no meaning, and what a client sends must not be lost in silence.
 */
export async function refuseBody(request: TranscoderRequest): Promise<void> {
  if (!request.hasBody) return;
  const bytes = await request.readBytes(0).catch((error: unknown) => {
    if (error instanceof RequestError && error.reason === "BODY_TOO_LARGE") return undefined;
    throw error;
  });
  if (bytes === undefined) throw new RequestError("BODY_MALFORMED", "send no body: this method takes none");
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
