import type { Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { BodySink } from "../http/collect-body.js";
import { RequestError } from "../http/request-error.js";
import { Envelope, PREFIX_BYTES } from "./envelope.js";

const COMPRESSED = 1;

/** Collects the one message of a unary gRPC request. Throws the error of the call as soon as it is detectable. */
export class GrpcMessageSink extends Envelope implements BodySink<Message> {
  readonly #decode: (bytes: Uint8Array) => Message;

  constructor(maxBytes: number, decode: (bytes: Uint8Array) => Message) {
    super(maxBytes);
    this.#decode = decode;
  }

  override push(chunk: Uint8Array): Uint8Array {
    const rest = super.push(chunk);
    if (rest.length > 0) throw wrongNumber("the request has more than one message: send exactly one");
    return rest;
  }

  finish(): Message {
    if (this.isEmpty) throw wrongNumber("the request has no message: send exactly one");
    if (!this.isComplete)
      throw new RequestError("BODY_MALFORMED", "the message ended early: its length must match its prefix");
    return this.#decode(this.take().subarray(PREFIX_BYTES));
  }

  protected override requireLength(prefix: Uint8Array): number {
    if (prefix[0] === COMPRESSED) {
      throw new RequestError(
        "BODY_MALFORMED",
        "the message is compressed without a grpc-encoding header: send the header, or an uncompressed message",
      );
    }
    if (prefix[0] !== 0) throw new RequestError("BODY_MALFORMED", "the compressed flag of the message must be 0 or 1");
    return super.requireLength(prefix);
  }
}

/** A unary call has one message in each direction: https://github.com/grpc/grpc/blob/master/doc/statuscodes.md */
function wrongNumber(message: string): ConnectError {
  return new ConnectError(message, Code.Unimplemented);
}
