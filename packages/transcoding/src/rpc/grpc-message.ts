import type { Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { BodySink } from "../http/collect-body.js";
import type { ContentCoding } from "../http/content-coding.js";
import { RequestError } from "../http/request-error.js";
import { Envelope } from "./envelope.js";

/** Collects the one message of a unary gRPC request. Throws the error of the call as soon as it is detectable. */
export class GrpcMessageSink extends Envelope implements BodySink<Message> {
  readonly #decode: (bytes: Uint8Array) => Message | Promise<Message>;

  constructor(
    maxBytes: number,
    codings: readonly ContentCoding[],
    decode: (bytes: Uint8Array) => Message | Promise<Message>,
  ) {
    super(maxBytes, codings);
    this.#decode = decode;
  }

  override push(chunk: Uint8Array): Uint8Array {
    const rest = super.push(chunk);
    if (rest.length > 0) throw wrongNumber("the request has more than one message: send exactly one");
    return rest;
  }

  finish(): Message | Promise<Message> {
    if (this.isEmpty) throw wrongNumber("the request has no message: send exactly one");
    const message = this.message();
    return message instanceof Promise ? message.then(this.#decode) : this.#decode(message);
  }

  protected override checkFlags(flags: number): void {
    if (flags > 1) throw new RequestError("BODY_MALFORMED", "the compressed flag of the message must be 0 or 1");
    super.checkFlags(flags);
  }
}

/** A unary call has one message in each direction: https://github.com/grpc/grpc/blob/master/doc/statuscodes.md */
function wrongNumber(message: string): ConnectError {
  return new ConnectError(message, Code.Unimplemented);
}
