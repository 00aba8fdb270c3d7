import type { CallContext } from "../calls/call-context.js";
import { type MessageValidator, requireValid } from "../calls/require-valid.js";
import { parseGrpcTimeout } from "../calls/timeout.js";
import type { UnaryCodec } from "../calls/unary-endpoint.js";
import { collectBody } from "../http/collect-body.js";
import { requireCodings } from "../http/content-coding.js";
import type { HttpHeaders, HttpResponse } from "../http/http-response.js";
import type { FailureReader } from "../responses/failure.js";
import { frameMessage } from "./envelope.js";
import { GrpcMessageSink } from "./grpc-message.js";
import { createFailureTrailers, removeProtocolHeaders } from "./grpc-status.js";
import type { MessageFormat } from "./message-format.js";

// Shared by all responses, so that a server can encode them once.
const OK: HttpHeaders = Object.freeze({ "grpc-status": "0" });
const getOk = () => OK;
const EMPTY = new Uint8Array();
const encoder = new TextEncoder();

/** Creates the gRPC codec of a method in one format. Reads compressed messages; writes uncompressed ones. */
export function createGrpcCodec(
  format: MessageFormat,
  readMaxBytes: number,
  readFailure: FailureReader,
  validate: MessageValidator | undefined,
): UnaryCodec<unknown> {
  const headers: HttpHeaders = Object.freeze({ "content-type": `application/grpc+${format.name}` });
  const respond = (context: CallContext, body: Uint8Array, trailers: () => HttpHeaders): HttpResponse => {
    const { touchedHeader } = context;
    const ownHeaders = touchedHeader === undefined ? context.ownHeaders : removeProtocolHeaders(context.copyHeaders());
    return { status: 200, headers, ownHeaders, body, trailers, matched: true };
  };
  return {
    protocolName: "grpc",
    readTimeout: (request) => parseGrpcTimeout(request.header("grpc-timeout")),
    read(request, context) {
      const codings = requireCodings(request.header("grpc-encoding"), request.codings);
      const decode = (bytes: Uint8Array) => requireValid(format.decode(bytes), context, validate);
      return collectBody(request, new GrpcMessageSink(readMaxBytes, codings, decode));
    },
    write(message, context) {
      const encoded = format.encode(message);
      const bytes = typeof encoded === "string" ? encoder.encode(encoded) : encoded;
      return respond(context, frameMessage(bytes), createEnd(context));
    },
    fail(error, context) {
      const failure = readFailure(error, context);
      const trailers = createFailureTrailers(failure, context?.copyTrailers() ?? {});
      return context !== undefined && (context.touchedHeader ?? context.ownHeaders) !== undefined
        ? respond(context, EMPTY, () => trailers)
        : { status: 200, headers: { ...headers, ...trailers }, body: undefined, trailers: undefined, matched: true };
    },
  };
}

function createEnd(context: CallContext): () => HttpHeaders {
  if (context.touchedTrailer === undefined) return getOk;
  const trailers = { ...OK, ...removeProtocolHeaders(context.copyTrailers()) };
  return () => trailers;
}
