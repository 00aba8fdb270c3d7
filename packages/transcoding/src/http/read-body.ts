import { Code, ConnectError } from "@connectrpc/connect";
import { BodyBuffer } from "./body-buffer.js";
import { requireCodings } from "./content-coding.js";
import type { BodyReceiver, HttpRequest } from "./http-request.js";
import { RequestError } from "./request-error.js";

/** The default limit of a body. */
export const DEFAULT_READ_MAX_BYTES = 4 * 1024 * 1024;

const EMPTY = new Uint8Array();

/**
 * Returns the body of a request with its content codings undone, synchronously if it has arrived without any. Throws or rejects with a
 * `RequestError` for an unknown or damaged coding, and for more than `maxBytes`, before or after decoding, without reading or decoding
 * the rest.
 */
export function readBody(request: HttpRequest, maxBytes: number): Uint8Array | Promise<Uint8Array> {
  if (!request.hasBody) return EMPTY;
  const contentEncoding = request.header("content-encoding");
  return contentEncoding === undefined
    ? readBytes(request, maxBytes)
    : readEncodedBody(request, contentEncoding, maxBytes);
}

async function readEncodedBody(request: HttpRequest, contentEncoding: string, maxBytes: number): Promise<Uint8Array> {
  const codings = requireCodings(contentEncoding, request.codings);
  let bytes = await readBytes(request, maxBytes);
  for (const coding of codings) bytes = await coding.decode(bytes, maxBytes);
  return bytes;
}

/**
 * Throws a `RequestError` when a request has a body and its rule binds none: RFC 9110 section 9.3.1 gives the content of a
 * GET no meaning, and what a client sends must not be lost in silence.
 */
export async function refuseBody(request: HttpRequest): Promise<void> {
  if (!request.hasBody) return;
  try {
    await readBytes(request, 0);
  } catch (error) {
    if (!(error instanceof RequestError && error.reason === "BODY_TOO_LARGE")) throw error;
    throw new RequestError("BODY_MALFORMED", "send no body: this method takes none");
  }
}

/** The body as received; see {@link readBody}. */
function readBytes(request: HttpRequest, maxBytes: number): Uint8Array | Promise<Uint8Array> {
  const { body } = request;
  const length = body?.length ?? Number(request.header("content-length") ?? 0);
  if (length > maxBytes) throw bodyTooLarge(maxBytes);
  if (body !== undefined) return body;
  return new Promise((resolve, reject) => {
    request.receive(new BodyCollector(request, maxBytes, length, resolve, reject));
  });
}

class BodyCollector implements BodyReceiver {
  readonly #request: HttpRequest;
  readonly #maxBytes: number;
  readonly #resolve: (body: Uint8Array) => void;
  readonly #reject: (error: Error) => void;
  /** Undefined once the read has settled. */
  #body: BodyBuffer | undefined;

  constructor(
    request: HttpRequest,
    maxBytes: number,
    length: number,
    resolve: (body: Uint8Array) => void,
    reject: (error: Error) => void,
  ) {
    this.#request = request;
    this.#maxBytes = maxBytes;
    this.#body = new BodyBuffer(length);
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Bytes of a refused body are not consumed, so that the client stops sending. */
  onData(chunk: Uint8Array): void {
    if (this.#body === undefined) return;
    if (this.#body.size + chunk.length > this.#maxBytes) {
      this.#fail(bodyTooLarge(this.#maxBytes));
      return;
    }
    this.#body.push(chunk);
    this.#request.consume(chunk.length);
  }

  onEnd(): void {
    if (this.#body !== undefined) this.#resolve(this.#body.take());
    this.#body = undefined;
  }

  onAbort(error: Error | undefined): void {
    this.#fail(error ?? clientGone());
  }

  #fail(error: Error): void {
    this.#body = undefined;
    this.#reject(error);
  }
}

/** The error of a call whose client has disconnected. */
export function clientGone(): ConnectError {
  return new ConnectError("the client went away", Code.Canceled);
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
