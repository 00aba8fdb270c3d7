import { Code, ConnectError } from "@connectrpc/connect";
import type { DecodedRequest } from "../decode/decode-request.js";
import type { RpcContext } from "../endpoints/rpc-context.js";
import { parseGrpcTimeout } from "../endpoints/timeout.js";
import type { UnaryCodec } from "../endpoints/unary-endpoint.js";
import { type BodySink, collectBody } from "../http/collect-body.js";
import { type ContentCoding, formatCodingList, requireContentCodings } from "../http/content-coding.js";
import type { HttpHeaders, HttpResponse } from "../http/http-response.js";
import type { FailureConverter } from "../responses/failure.js";
import { createWeakCache } from "../values/weak-cache.js";
import { Envelope, frameMessage } from "./envelope.js";
import { createGrpcFailureTrailers, removeGrpcHeaders } from "./grpc-status.js";
import type { MessageFormat } from "./message-format.js";
import { toReportedCode } from "./rpc-failures.js";
import type { RpcOptions } from "./rpc-options.js";

// Frozen and shared by all successful responses, so that a server can encode these trailers once.
const OK: HttpHeaders = Object.freeze({ "grpc-status": "0" });
const getOk = () => OK;
const EMPTY = new Uint8Array();
const encoder = new TextEncoder();

/** Creates the gRPC codec for a method and a message format. It reads compressed and uncompressed messages, and writes uncompressed ones. */
export function createGrpcCodec(
  format: MessageFormat,
  readMaxBytes: number,
  readFailure: FailureConverter,
  onOutcome: RpcOptions["onOutcome"],
): UnaryCodec<unknown> {
  const headersOf = createWeakCache(
    (codings: readonly ContentCoding[]): HttpHeaders =>
      Object.freeze({
        "content-type": `application/grpc+${format.name}`,
        "grpc-accept-encoding": formatCodingList(codings),
      }),
  );
  const respond = (
    context: RpcContext,
    headers: HttpHeaders,
    body: Uint8Array,
    trailers: () => HttpHeaders,
  ): HttpResponse => {
    const { touchedHeader } = context;
    const ownHeaders = touchedHeader === undefined ? context.ownHeaders : removeGrpcHeaders(context.copyHeaders());
    return { status: 200, headers, ownHeaders, body, trailers };
  };
  return {
    protocolName: "grpc",
    readTimeout: (request) => parseGrpcTimeout(request.header("grpc-timeout")),
    read(request) {
      const codings = requireContentCodings(request.header("grpc-encoding"), request.codings, "grpc-accept-encoding");
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
      if (values !== undefined) onOutcome?.(values, toReportedCode(failure.code, error));
      const trailers = createGrpcFailureTrailers(failure, context?.copyTrailers() ?? {});
      return context !== undefined && (context.touchedHeader ?? context.ownHeaders) !== undefined
        ? respond(context, headers, EMPTY, () => trailers)
        : { status: 200, headers: { ...headers, ...trailers }, body: undefined, trailers: undefined };
    },
  };
}

function createEnd(context: RpcContext): () => HttpHeaders {
  if (context.touchedTrailer === undefined) return getOk;
  const trailers = { ...OK, ...removeGrpcHeaders(context.copyTrailers()) };
  return () => trailers;
}

/** Collects the only message of a unary gRPC request. Throws the error of the RPC as soon as the bytes are known to be invalid. */
class GrpcMessageSink extends Envelope implements BodySink<DecodedRequest> {
  readonly #format: MessageFormat;

  constructor(maxBytes: number, codings: readonly ContentCoding[], format: MessageFormat) {
    super(maxBytes, codings);
    this.#format = format;
  }

  override push(chunk: Uint8Array): Uint8Array {
    const rest = super.push(chunk);
    if (rest.length > 0) throw createMessageCountError("the request has more than one message: send exactly one");
    return rest;
  }

  finish(): DecodedRequest | Promise<DecodedRequest> {
    if (this.isEmpty) throw createMessageCountError("the request has no message: send exactly one");
    const message = this.message();
    return message instanceof Promise ? message.then(this.#format.decode) : this.#format.decode(message);
  }
}

/**
 * Creates the error for a unary RPC with no request message or several ones. The source of the code is
 * https://github.com/grpc/grpc/blob/master/doc/statuscodes.md
 */
function createMessageCountError(message: string): ConnectError {
  return new ConnectError(message, Code.Unimplemented);
}
