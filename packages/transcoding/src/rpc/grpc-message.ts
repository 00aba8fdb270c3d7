import type { Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { BodyBuffer } from "../http/body-buffer.js";
import { createMessageTooLargeError } from "../http/body-errors.js";
import type { BodySink } from "../http/collect-body.js";
import { RequestError } from "../http/request-error.js";
import { PREFIX_BYTES, readLength } from "./message-prefix.js";

const COMPRESSED = 1;
const EMPTY = new Uint8Array();

/** Collects the one message of a unary gRPC request from the chunks of its body. */
export class GrpcMessageSink implements BodySink<Message> {
  readonly #maxBytes: number;
  readonly #decode: (bytes: Uint8Array) => Message;
  /** The received bytes of the prefix. */
  #prefix: Uint8Array = EMPTY;
  /** The length in the prefix. */
  #length = 0;
  #message: BodyBuffer | undefined;

  constructor(maxBytes: number, decode: (bytes: Uint8Array) => Message) {
    this.#maxBytes = maxBytes;
    this.#decode = decode;
  }

  /** Adds the next bytes. Throws the error of the call as soon as it is detectable. */
  push(chunk: Uint8Array): void {
    if (this.#message === undefined) this.#start(concat(this.#prefix, chunk));
    else this.#add(this.#message, chunk);
  }

  /** Returns the message after the end of the body. Throws the error of the call unless the body is one complete message. */
  finish(): Message {
    if (this.#message === undefined && this.#prefix.length === 0)
      throw wrongNumber("the request has no message: send exactly one");
    if (this.#message?.size !== this.#length)
      throw new RequestError("BODY_MALFORMED", "the message ended early: its length must match its prefix");
    return this.#decode(this.#message.take());
  }

  #start(bytes: Uint8Array): void {
    this.#prefix = bytes.subarray(0, PREFIX_BYTES);
    if (bytes.length < PREFIX_BYTES) return;
    this.#length = this.#requireLength(bytes);
    this.#message = new BodyBuffer(this.#length);
    if (bytes.length > PREFIX_BYTES) this.#add(this.#message, bytes.subarray(PREFIX_BYTES));
  }

  #add(message: BodyBuffer, chunk: Uint8Array): void {
    if (message.size + chunk.length > this.#length)
      throw wrongNumber("the request has more than one message: send exactly one");
    message.push(chunk);
  }

  #requireLength(bytes: Uint8Array): number {
    if (bytes[0] === COMPRESSED) {
      throw new RequestError(
        "BODY_MALFORMED",
        "the message is compressed without a grpc-encoding header: send the header, or an uncompressed message",
      );
    }
    if (bytes[0] !== 0) throw new RequestError("BODY_MALFORMED", "the compressed flag of the message must be 0 or 1");
    const length = readLength(bytes);
    if (length <= this.#maxBytes) return length;
    throw createMessageTooLargeError(this.#maxBytes);
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/** A unary call has one message in each direction: https://github.com/grpc/grpc/blob/master/doc/statuscodes.md */
function wrongNumber(message: string): ConnectError {
  return new ConnectError(message, Code.Unimplemented);
}
