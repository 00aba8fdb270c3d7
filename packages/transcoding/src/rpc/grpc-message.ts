import type { Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { BodyBuffer } from "../http/body-buffer.js";
import type { BodyReceiver, HttpRequest } from "../http/http-request.js";
import { clientGone, messageTooLarge } from "../http/read-body.js";
import { RequestError } from "../http/request-error.js";
import { PREFIX_BYTES, readLength } from "./message-prefix.js";

const COMPRESSED = 1;
const EMPTY = new Uint8Array();

/**
 * Reads the one message of a unary gRPC request, synchronously if its body has arrived. Throws or rejects with the error of the call,
 * without reading the rest.
 */
export function readGrpcMessage(
  request: HttpRequest,
  maxBytes: number,
  decode: (bytes: Uint8Array) => Message,
): Message | Promise<Message> {
  const body = request.hasBody ? request.body : EMPTY;
  if (body !== undefined) {
    const reader = new GrpcMessageReader(maxBytes);
    if (body.length > 0) reader.push(body);
    return decode(reader.finish());
  }
  return new Promise((resolve, reject) => {
    request.receive(new GrpcMessageReceiver(request, maxBytes, decode, resolve, reject));
  });
}

class GrpcMessageReceiver implements BodyReceiver {
  readonly #request: HttpRequest;
  readonly #decode: (bytes: Uint8Array) => Message;
  readonly #resolve: (message: Message) => void;
  readonly #reject: (error: unknown) => void;
  /** Undefined once the read has settled. */
  #reader: GrpcMessageReader | undefined;

  constructor(
    request: HttpRequest,
    maxBytes: number,
    decode: (bytes: Uint8Array) => Message,
    resolve: (message: Message) => void,
    reject: (error: unknown) => void,
  ) {
    this.#request = request;
    this.#decode = decode;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#reader = new GrpcMessageReader(maxBytes);
  }

  onData(chunk: Uint8Array): void {
    if (this.#reader === undefined) return;
    this.#request.consume(chunk.length);
    try {
      this.#reader.push(chunk);
    } catch (error) {
      this.#fail(error);
    }
  }

  onEnd(): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    this.#reader = undefined;
    try {
      this.#resolve(this.#decode(reader.finish()));
    } catch (error) {
      this.#reject(error);
    }
  }

  onAbort(error: Error | undefined): void {
    this.#fail(error ?? clientGone());
  }

  #fail(error: unknown): void {
    this.#reader = undefined;
    this.#reject(error);
  }
}

/** Collects the one message of a unary request from the chunks of its body. */
class GrpcMessageReader {
  readonly #maxBytes: number;
  /** What has arrived of the prefix. */
  #prefix: Uint8Array = EMPTY;
  /** The length in the prefix. */
  #length = 0;
  #message: BodyBuffer | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes the next bytes. Throws the error of the call as soon as they show it. */
  push(chunk: Uint8Array): void {
    if (this.#message === undefined) this.#start(concat(this.#prefix, chunk));
    else this.#add(this.#message, chunk);
  }

  /** The message, once the body has ended. Throws the error of the call if it is not one complete message. */
  finish(): Uint8Array {
    if (this.#message === undefined && this.#prefix.length === 0) throw wrongNumber("send one message: there was none");
    if (this.#message?.size !== this.#length) throw new RequestError("BODY_MALFORMED", "the message ended early");
    return this.#message.take();
  }

  #start(bytes: Uint8Array): void {
    this.#prefix = bytes.subarray(0, PREFIX_BYTES);
    if (bytes.length < PREFIX_BYTES) return;
    this.#length = this.#requireLength(bytes);
    this.#message = new BodyBuffer(this.#length);
    if (bytes.length > PREFIX_BYTES) this.#add(this.#message, bytes.subarray(PREFIX_BYTES));
  }

  #add(message: BodyBuffer, chunk: Uint8Array): void {
    if (message.size + chunk.length > this.#length) throw wrongNumber("send one message only");
    message.push(chunk);
  }

  #requireLength(bytes: Uint8Array): number {
    if (bytes[0] === COMPRESSED) {
      throw new RequestError("BODY_MALFORMED", "the message is compressed, and no grpc-encoding says how");
    }
    if (bytes[0] !== 0) throw new RequestError("BODY_MALFORMED", "the flags of the message must be 0 or 1");
    const length = readLength(bytes);
    if (length <= this.#maxBytes) return length;
    throw messageTooLarge(this.#maxBytes);
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/** A unary call has one message each way: https://github.com/grpc/grpc/blob/master/doc/statuscodes.md */
function wrongNumber(message: string): ConnectError {
  return new ConnectError(message, Code.Unimplemented);
}
