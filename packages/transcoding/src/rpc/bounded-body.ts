import { BodyBuffer } from "../http/body-buffer.js";
import { createMessageTooLargeError } from "../http/body-errors.js";
import type { HttpRequest } from "../http/http-request.js";
import { readBytes } from "../http/read-body.js";
import { readChunks } from "../http/read-chunks.js";
import { RequestError } from "../http/request-error.js";
import { PREFIX_BYTES, readLength } from "./message-prefix.js";

/** Called with the number of body bytes that a call has received so far, each time it receives some. */
export type BodyTakenListener = (request: HttpRequest, bytes: number) => void;

/** Limits of the request bodies of a method. */
export interface BodyLimits {
  /** The maximum size of a message before decompression. */
  readonly maxBytes: number;
  /** Returns the error of a request that exceeds the limits. */
  readonly errorOf: (error: RequestError) => Error;
  readonly onTaken: BodyTakenListener | undefined;
}

/** The content types of bodies in which messages have prefixes. */
const ENVELOPED = /^application\/(?:grpc|connect\+)/i;
const EMPTY = new Uint8Array();

/**
 * Reads a body for Connect's handlers in complete messages of a limited size. Connect would store every chunk separately, which
 * takes far more memory than the body if a client sends single bytes. Connect also has different errors for messages that are too
 * large.
 */
export function readBoundedBody(request: HttpRequest, bounds: BodyLimits): AsyncIterable<Uint8Array> {
  const isEnveloped = ENVELOPED.test(request.header("content-type") ?? "");
  return isEnveloped ? readEnvelopes(request, bounds) : readWhole(request, bounds);
}

/** Yields the body of a unary call of the Connect protocol. */
async function* readWhole(request: HttpRequest, bounds: BodyLimits): AsyncIterable<Uint8Array> {
  let body: Uint8Array;
  try {
    body = await readBytes(request, bounds.maxBytes);
  } catch (error) {
    throw error instanceof RequestError ? bounds.errorOf(error) : error;
  }
  bounds.onTaken?.(request, body.length);
  yield body;
}

/** Yields the messages of a body, each with its prefix. Yields the bytes after the last complete message unchanged. */
async function* readEnvelopes(request: HttpRequest, bounds: BodyLimits): AsyncIterable<Uint8Array> {
  const splitter = new EnvelopeSplitter(bounds);
  let taken = 0;
  for await (const chunk of readChunks(request)) {
    for (const envelope of splitter.push(chunk)) {
      taken += envelope.length;
      bounds.onTaken?.(request, taken);
      yield envelope;
    }
  }
  yield splitter.rest();
}

class EnvelopeSplitter {
  readonly #bounds: BodyLimits;
  #prefix = new BodyBuffer(PREFIX_BYTES);
  #envelope: BodyBuffer | undefined;
  #length = 0;

  constructor(bounds: BodyLimits) {
    this.#bounds = bounds;
  }

  *push(chunk: Uint8Array): Iterable<Uint8Array> {
    let bytes = chunk;
    while (bytes.length > 0) {
      if (this.#envelope === undefined) {
        const start = bytes.subarray(0, PREFIX_BYTES - this.#prefix.size);
        this.#prefix.push(start);
        bytes = bytes.subarray(start.length);
        if (this.#prefix.size < PREFIX_BYTES) return;
        this.#envelope = this.#begin();
      }
      const piece = bytes.subarray(0, this.#length - this.#envelope.size);
      this.#envelope.push(piece);
      bytes = bytes.subarray(piece.length);
      if (this.#envelope.size < this.#length) return;
      yield this.#envelope.take();
      this.#envelope = undefined;
      this.#prefix = new BodyBuffer(PREFIX_BYTES);
    }
  }

  rest(): Uint8Array {
    return this.#envelope?.take() ?? (this.#prefix.size === 0 ? EMPTY : this.#prefix.take());
  }

  #begin(): BodyBuffer {
    const length = readLength(this.#prefix.take());
    const { maxBytes } = this.#bounds;
    if (length > maxBytes) throw this.#bounds.errorOf(createMessageTooLargeError(maxBytes));
    this.#length = PREFIX_BYTES + length;
    const envelope = new BodyBuffer(this.#length);
    envelope.push(this.#prefix.take());
    return envelope;
  }
}
