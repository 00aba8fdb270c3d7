import { Code, ConnectError } from "@connectrpc/connect";
import { messageTooLarge } from "../../calls/read-body.js";
import { RequestError } from "../../responses/request-error.js";
import { BodyBuffer } from "../../runtimes/body-buffer.js";

/** A message is led by a byte of flags and by its length: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */
const PREFIX_BYTES = 5;
const COMPRESSED = 1;
const EMPTY = Buffer.alloc(0);

/** Collects the one message of a unary request from the bytes of its body, in whatever pieces they come. */
export class GrpcMessageReader {
  readonly #maxBytes: number;
  /** What there is of the prefix. */
  #prefix: Buffer = EMPTY;
  /** The length that the prefix says. */
  #length = 0;
  #message: BodyBuffer | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes the next bytes. Throws what the call is to fail with as soon as they show it. */
  push(chunk: Buffer): void {
    if (this.#message === undefined)
      this.#start(this.#prefix.length === 0 ? chunk : Buffer.concat([this.#prefix, chunk]));
    else this.#add(this.#message, chunk);
  }

  /** The message, when the body has ended. Throws what the call is to fail with where it is not one whole message. */
  finish(): Uint8Array {
    if (this.#message === undefined && this.#prefix.length === 0) throw wrongNumber("send one message: there was none");
    if (this.#message?.size !== this.#length) throw new RequestError("BODY_MALFORMED", "the message ended early");
    return this.#message.take();
  }

  #start(bytes: Buffer): void {
    this.#prefix = bytes.subarray(0, PREFIX_BYTES);
    if (bytes.length < PREFIX_BYTES) return;
    this.#length = this.#requireLength(bytes);
    this.#message = new BodyBuffer(this.#length);
    if (bytes.length > PREFIX_BYTES) this.#add(this.#message, bytes.subarray(PREFIX_BYTES));
  }

  #add(message: BodyBuffer, chunk: Buffer): void {
    if (message.size + chunk.length > this.#length) throw wrongNumber("send one message only");
    message.push(chunk);
  }

  #requireLength(bytes: Buffer): number {
    if (bytes[0] === COMPRESSED) {
      throw new RequestError("BODY_MALFORMED", "the message is compressed, and no grpc-encoding says how");
    }
    if (bytes[0] !== 0) throw new RequestError("BODY_MALFORMED", "the flags of the message must be 0 or 1");
    const length = bytes.readUInt32BE(1);
    if (length <= this.#maxBytes) return length;
    throw messageTooLarge(this.#maxBytes);
  }
}

/** A message with its prefix. */
export function frameGrpcMessage(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, PREFIX_BYTES);
  return frame;
}

/** A unary call has one message each way: https://github.com/grpc/grpc/blob/master/doc/statuscodes.md */
function wrongNumber(message: string): ConnectError {
  return new ConnectError(message, Code.Unimplemented);
}
