import { BodyBuffer } from "./body-buffer.js";
import { createBodyTooLargeError } from "./body-errors.js";
import { collectBody } from "./collect-body.js";
import { decodeContent, requireContentCodings } from "./content-coding.js";
import type { HttpRequest } from "./http-request.js";
import { RequestError } from "./request-error.js";

export const DEFAULT_READ_MAX_BYTES = 4 * 1024 * 1024;

const EMPTY = new Uint8Array();

/**
 * Returns the body of a request after decoding its content codings, synchronously if the request has no body. Throws or rejects with a `RequestError`
 * for an unknown content coding, damaged bytes, or more than `maxBytes` bytes before or after decoding. The rest of the body is then not read.
 */
export function readBody(request: HttpRequest, maxBytes: number): Uint8Array | Promise<Uint8Array> {
  if (!request.hasBody) return EMPTY;
  const contentEncoding = request.header("content-encoding");
  return contentEncoding === undefined
    ? readBodyBytes(request, maxBytes)
    : readEncodedBody(request, contentEncoding, maxBytes);
}

async function readEncodedBody(request: HttpRequest, contentEncoding: string, maxBytes: number): Promise<Uint8Array> {
  const codings = requireContentCodings(contentEncoding, request.codings);
  return decodeContent(await readBodyBytes(request, maxBytes), codings, maxBytes);
}

/** Rejects with a `RequestError` unless the body is empty. Ignoring a body would hide a client's mistake (RFC 9110 section 9.3.1). */
export async function rejectUnexpectedBody(request: HttpRequest): Promise<void> {
  try {
    await readBodyBytes(request, 0);
  } catch (error) {
    if (!(error instanceof RequestError && error.reason === "BODY_TOO_LARGE")) throw error;
    throw createUnexpectedBodyError();
  }
}

export function createUnexpectedBodyError(): RequestError {
  return new RequestError("BODY_MALFORMED", "this method accepts no body: send the request without a body");
}

/**
 * Returns the body of a request as received, without decoding its content codings, synchronously if the request has no body. Throws or rejects with a
 * `RequestError` for more than `maxBytes` bytes, and rejects with a `ConnectError` if the client disconnects. The rest of the body is then not read.
 */
export function readBodyBytes(request: HttpRequest, maxBytes: number): Uint8Array | Promise<Uint8Array> {
  const length = Number(request.header("content-length") ?? 0);
  if (length > maxBytes) throw createBodyTooLargeError(maxBytes);
  return collectBody(request, new BodyBuffer(length, maxBytes));
}
