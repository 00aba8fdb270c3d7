import { Code, ConnectError } from "@connectrpc/connect";
import { RequestError } from "../../responses/request-error.js";

/** A message is led by a byte of flags and by its length: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */
const PREFIX_BYTES = 5;
const COMPRESSED = 1;
const EMPTY = Buffer.alloc(0);

/** Collects the one message of a unary request from the bytes of its body, in whatever pieces they come. */
export class GrpcMessageReader {
  readonly #maxBytes: number;
  /** What there is of the prefix. */
  #prefix: Buffer = EMPTY;
  #message: Buffer | undefined;
  /** How many bytes of the message are there. */
  #size = 0;

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
    if (this.#size !== this.#message?.length) throw new RequestError("BODY_MALFORMED", "the message ended early");
    return this.#message;
  }

  #start(bytes: Buffer): void {
    this.#prefix = bytes;
    if (bytes.length < PREFIX_BYTES) return;
    const length = this.#requireLength(bytes);
    const content = bytes.subarray(PREFIX_BYTES);
    this.#message = content.length === length ? content : Buffer.allocUnsafe(length);
    this.#add(this.#message, content);
  }

  #add(message: Buffer, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > message.length) throw wrongNumber("send one message only");
    if (chunk !== message) chunk.copy(message, this.#size - chunk.length);
  }

  #requireLength(bytes: Buffer): number {
    if (bytes[0] === COMPRESSED) {
      throw new ConnectError("the message is compressed, and no grpc-encoding says how", Code.Internal);
    }
    if (bytes[0] !== 0) throw new RequestError("BODY_MALFORMED", "the flags of the message must be 0 or 1");
    const length = bytes.readUInt32BE(1);
    if (length <= this.#maxBytes) return length;
    throw new RequestError("BODY_TOO_LARGE", `the message must be at most ${this.#maxBytes} bytes`);
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
