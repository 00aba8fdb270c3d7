import { Code, ConnectError } from "@connectrpc/connect";
import type { DecodedRequest } from "../decode/decode-request.js";
import type { RpcContext } from "../endpoints/rpc-context.js";
import { parseGrpcTimeout } from "../endpoints/timeout.js";
import type { UnaryCodec } from "../endpoints/unary-endpoint.js";
import { type BodySink, collectBody } from "../http/collect-body.js";
import { type ContentCoding, formatCodings, requireCodings } from "../http/content-coding.js";
import type { HttpHeaders, HttpResponse } from "../http/http-response.js";
import type { FailureReader } from "../responses/failure.js";
import { createWeakCache } from "../values/weak-cache.js";
import { Envelope, frameMessage } from "./envelope.js";
import { createFailureTrailers, removeProtocolHeaders } from "./grpc-status.js";
import type { MessageFormat } from "./message-format.js";
import { outcomeOf } from "./rpc-failures.js";
import type { RpcOptions } from "./rpc-options.js";

// Shared by all responses, so that a server can encode them once.
const OK: HttpHeaders = Object.freeze({ "grpc-status": "0" });
const getOk = () => OK;
const EMPTY = new Uint8Array();
const encoder = new TextEncoder();

/** Creates the gRPC codec for a method in one format. It reads compressed messages, and writes only uncompressed ones. */
export function createGrpcCodec(
  format: MessageFormat,
  readMaxBytes: number,
  readFailure: FailureReader,
  onOutcome: RpcOptions["onOutcome"],
): UnaryCodec<unknown> {
  const headersOf = createWeakCache(
    (codings: readonly ContentCoding[]): HttpHeaders =>
      Object.freeze({
        "content-type": `application/grpc+${format.name}`,
        "grpc-accept-encoding": formatCodings(codings),
      }),
  );
  const respond = (
    context: RpcContext,
    headers: HttpHeaders,
    body: Uint8Array,
    trailers: () => HttpHeaders,
  ): HttpResponse => {
    const { touchedHeader } = context;
    const ownHeaders = touchedHeader === undefined ? context.ownHeaders : removeProtocolHeaders(context.copyHeaders());
    return { status: 200, headers, ownHeaders, body, trailers };
  };
  return {
    protocolName: "grpc",
    readTimeout: (request) => parseGrpcTimeout(request.header("grpc-timeout")),
    read(request) {
      const codings = requireCodings(request.header("grpc-encoding"), request.codings, "grpc-accept-encoding");
      return collectBody(request, new GrpcMessageSink(readMaxBytes, codings, format));
    },
    write(message, context, { codings }) {
      const encoded = format.encode(message);
      onOutcome?.(context.values, undefined);
      const respondWith = (bytes: Uint8Array) =>
        respond(context, headersOf(codings), frameMessage(bytes), createEnd(context));
      if (encoded instanceof Promise) return encoded.then(respondWith);
      return respondWith(typeof encoded === "string" ? encoder.encode(encoded) : encoded);
    },
    fail(error, context, { codings, contextValues: values = context?.values }) {
      const headers = headersOf(codings);
      const failure = readFailure(error, context);
      if (values !== undefined) onOutcome?.(values, outcomeOf(failure.code, error));
      const trailers = createFailureTrailers(failure, context?.copyTrailers() ?? {});
      return context !== undefined && (context.touchedHeader ?? context.ownHeaders) !== undefined
        ? respond(context, headers, EMPTY, () => trailers)
        : { status: 200, headers: { ...headers, ...trailers }, body: undefined, trailers: undefined };
    },
  };
}

function createEnd(context: RpcContext): () => HttpHeaders {
  if (context.touchedTrailer === undefined) return getOk;
  const trailers = { ...OK, ...removeProtocolHeaders(context.copyTrailers()) };
  return () => trailers;
}

/** Collects the only message of a unary gRPC request. Throws the error of the RPC as soon as it is detectable. */
class GrpcMessageSink extends Envelope implements BodySink<DecodedRequest> {
  readonly #format: MessageFormat;

  constructor(maxBytes: number, codings: readonly ContentCoding[], format: MessageFormat) {
    super(maxBytes, codings);
    this.#format = format;
  }

  override push(chunk: Uint8Array): Uint8Array {
    const rest = super.push(chunk);
    if (rest.length > 0) throw wrongNumber("the request has more than one message: send exactly one");
    return rest;
  }

  finish(): DecodedRequest | Promise<DecodedRequest> {
    if (this.isEmpty) throw wrongNumber("the request has no message: send exactly one");
    const message = this.message();
    return message instanceof Promise ? message.then(this.#format.decode) : this.#format.decode(message);
  }
}

/** A unary RPC has one message in each direction: https://github.com/grpc/grpc/blob/master/doc/statuscodes.md */
function wrongNumber(message: string): ConnectError {
  return new ConnectError(message, Code.Unimplemented);
}
