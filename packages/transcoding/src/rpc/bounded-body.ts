import { bodyTooLarge, messageTooLarge } from "../calls/read-body.js";
import type { RequestError } from "../responses/request-error.js";
import { BodyBuffer } from "../runtimes/body-buffer.js";
import type { NodeHandler } from "../runtimes/node-handler.js";
import type { NodeRequest } from "../runtimes/node-request.js";

/** Told how many bytes of a body have been handed over to its call, all in all, each time that it gets some. */
export type BodyTakenListener = (request: NodeRequest, bytes: number) => void;

/** How the body of a request is read. */
export interface BodyBounds {
  /** The most bytes of a message, as it comes. */
  readonly maxBytes: number;
  /** What a request fails with that breaks them. */
  readonly errorOf: (error: RequestError) => Error;
  readonly onTaken: BodyTakenListener | undefined;
}

/** The content types of bodies in which messages have prefixes. */
const ENVELOPED = /^application\/(?:grpc|connect\+)/i;

/** A message is led by a byte of flags and by its length, in gRPC, gRPC-Web and the streams of the Connect protocol. */
const PREFIX_BYTES = 5;

/**
 * Has a handler that iterates over a request get the body of a method in messages that are whole, none of them larger than it may
 * be. Connect would keep each piece as it comes, which takes far more memory than the bytes of a client that sends them one by one,
 * and would not tell what is too large as other protocols do.
 *
 * @param methods by their paths.
 */
export function boundBodies(handler: NodeHandler, methods: ReadonlyMap<string, BodyBounds>): NodeHandler {
  return (request, response) => {
    const { url = "", headers } = request;
    const mark = url.indexOf("?");
    const bounds = methods.get(mark === -1 ? url : url.slice(0, mark));
    if (bounds !== undefined) {
      const read = ENVELOPED.test(headers["content-type"] ?? "") ? readEnvelopes : readWhole;
      Object.defineProperty(request, Symbol.asyncIterator, { value: () => read(request, bounds) });
    }
    handler(request, response);
  };
}

/** The body of a unary call of the Connect protocol. */
async function* readWhole(request: NodeRequest, bounds: BodyBounds): AsyncIterable<Buffer> {
  const { maxBytes } = bounds;
  const length = Number(request.headers["content-length"] ?? 0);
  if (length > maxBytes) throw bounds.errorOf(bodyTooLarge(maxBytes));
  const body = new BodyBuffer(length);
  for await (const chunk of chunksOf(request)) {
    if (body.size + chunk.length > maxBytes) throw bounds.errorOf(bodyTooLarge(maxBytes));
    body.push(chunk);
  }
  bounds.onTaken?.(request, body.size);
  yield body.take();
}

/** The messages of a body, each with its prefix. What follows the last whole one comes as it is. */
async function* readEnvelopes(request: NodeRequest, bounds: BodyBounds): AsyncIterable<Buffer> {
  const splitter = new EnvelopeSplitter(bounds);
  let taken = 0;
  for await (const chunk of chunksOf(request)) {
    for (const envelope of splitter.push(chunk)) {
      taken += envelope.length;
      bounds.onTaken?.(request, taken);
      yield envelope;
    }
  }
  yield splitter.rest();
}

class EnvelopeSplitter {
  readonly #bounds: BodyBounds;
  #prefix: Buffer = Buffer.alloc(0);
  #envelope: BodyBuffer | undefined;
  #length = 0;

  constructor(bounds: BodyBounds) {
    this.#bounds = bounds;
  }

  *push(chunk: Buffer): Iterable<Buffer> {
    let bytes = chunk;
    while (bytes.length > 0) {
      this.#envelope ??= this.#begin(bytes);
      if (this.#envelope === undefined) {
        this.#prefix = Buffer.concat([this.#prefix, bytes]);
        return;
      }
      const piece = bytes.subarray(0, this.#length - this.#envelope.size);
      this.#envelope.push(piece);
      bytes = bytes.subarray(piece.length);
      if (this.#envelope.size < this.#length) return;
      yield this.#envelope.take();
      this.#envelope = undefined;
    }
  }

  rest(): Buffer {
    return this.#envelope?.take() ?? this.#prefix;
  }

  /** Undefined where the prefix is not whole. */
  #begin(bytes: Buffer): BodyBuffer | undefined {
    if (this.#prefix.length + bytes.length < PREFIX_BYTES) return undefined;
    const prefix = Buffer.concat([this.#prefix, bytes.subarray(0, PREFIX_BYTES - this.#prefix.length)]);
    const length = prefix.readUInt32BE(1);
    const { maxBytes } = this.#bounds;
    if (length > maxBytes) throw this.#bounds.errorOf(messageTooLarge(maxBytes));
    this.#length = PREFIX_BYTES + length;
    const envelope = new BodyBuffer(this.#length);
    if (this.#prefix.length > 0) envelope.push(this.#prefix);
    this.#prefix = Buffer.alloc(0);
    return envelope;
  }
}

/** The body as it comes. The request is not destroyed when nobody reads on: its answer has the same connection. */
function chunksOf(request: NodeRequest): AsyncIterable<Buffer> {
  return request.iterator({ destroyOnReturn: false });
}
