import { BodyBuffer } from "./body-buffer.js";
import { createTooLargeError } from "./body-errors.js";
import { collectBody } from "./collect-body.js";
import { decodeBytes, requireCodings } from "./content-coding.js";
import type { HttpRequest } from "./http-request.js";
import { RequestError } from "./request-error.js";

export const DEFAULT_READ_MAX_BYTES = 4 * 1024 * 1024;

const EMPTY = new Uint8Array();

/**
 * Returns the decoded body of a request, synchronously if there is none. Throws or rejects with a `RequestError` for an unknown or damaged
 * coding, and for more than `maxBytes` before or after decoding. The rest is then neither read nor decoded.
 */
export function readBody(request: HttpRequest, maxBytes: number): Uint8Array | Promise<Uint8Array> {
  if (!request.hasBody) return EMPTY;
  const contentEncoding = request.header("content-encoding");
  return contentEncoding === undefined
    ? readBodyBytes(request, maxBytes)
    : readEncodedBody(request, contentEncoding, maxBytes);
}

async function readEncodedBody(request: HttpRequest, contentEncoding: string, maxBytes: number): Promise<Uint8Array> {
  const codings = requireCodings(contentEncoding, request.codings);
  return decodeBytes(await readBodyBytes(request, maxBytes), codings, maxBytes);
}

/** Rejects a body that the rule does not bind: RFC 9110 section 9.3.1 gives it no meaning in a GET, and ignoring it would hide a client's mistake. */
export async function rejectBody(request: HttpRequest): Promise<void> {
  try {
    await readBodyBytes(request, 0);
  } catch (error) {
    if (!(error instanceof RequestError && error.reason === "BODY_TOO_LARGE")) throw error;
    throw createUnexpectedBodyError();
  }
}

export function createUnexpectedBodyError(): RequestError {
  return new RequestError("BODY_MALFORMED", "this method takes no body: send the request without one");
}

/**
 * Returns the body of a request as received, without decoding its content codings, synchronously if there is none. Throws or rejects with a
 * `RequestError` for more than `maxBytes`, and rejects with a `ConnectError` if the client disconnects. The rest is then not read.
 */
export function readBodyBytes(request: HttpRequest, maxBytes: number): Uint8Array | Promise<Uint8Array> {
  const length = Number(request.header("content-length") ?? 0);
  if (length > maxBytes) throw createTooLargeError(maxBytes);
  return collectBody(request, new BodyBuffer(length, maxBytes));
}
