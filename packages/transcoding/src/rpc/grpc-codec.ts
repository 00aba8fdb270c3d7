import type { DescMethod } from "@bufbuild/protobuf";
import type { CallContext } from "../calls/call-context.js";
import { parseGrpcTimeout } from "../calls/timeout.js";
import type { UnaryCodec } from "../calls/unary-endpoint.js";
import { collectBody } from "../http/collect-body.js";
import type { HttpRequest } from "../http/http-request.js";
import type { HttpHeaders, HttpResponse } from "../http/http-response.js";
import type { Failure, FailureReader } from "../responses/failure.js";
import { frameMessage } from "./envelope.js";
import { GrpcMessageSink } from "./grpc-message.js";
import { createFailureTrailers, removeProtocolHeaders } from "./grpc-status.js";
import { decodeProto, encodeProto } from "./proto-message.js";

// Shared by all responses, so that a server can encode them once.
const HEADERS: HttpHeaders = Object.freeze({ "content-type": "application/grpc+proto" });
const OK: HttpHeaders = Object.freeze({ "grpc-status": "0" });
const getOk = () => OK;
const EMPTY = new Uint8Array();

/** Whether a request is an uncompressed gRPC call in protobuf over HTTP/2. */
export function isPlainGrpc(request: HttpRequest, contentType: string | undefined): boolean {
  if (contentType !== "application/grpc" && contentType !== "application/grpc+proto") return false;
  const encoding = request.header("grpc-encoding");
  return (
    request.method === "POST" && request.httpVersion === "2.0" && (encoding === undefined || encoding === "identity")
  );
}

/** Creates the gRPC codec of a method. */
export function createGrpcCodec(
  { input, output }: DescMethod,
  readMaxBytes: number,
  readFailure: FailureReader,
): UnaryCodec<undefined> {
  const decode = (bytes: Uint8Array) => decodeProto(input, bytes);
  return {
    protocolName: "grpc",
    readTimeout: (request) => parseGrpcTimeout(request.header("grpc-timeout")),
    read: (request) => collectBody(request, new GrpcMessageSink(readMaxBytes, decode)),
    write: (message, context) =>
      createResponse(context, frameMessage(encodeProto(output, message)), createEnd(context)),
    fail(error, context) {
      const failure = readFailure(error, context);
      const trailers = createFailureTrailers(failure, context?.copyTrailers() ?? {});
      return context !== undefined && (context.touchedHeader ?? context.ownHeaders) !== undefined
        ? createResponse(context, EMPTY, () => trailers)
        : { status: 200, headers: { ...HEADERS, ...trailers }, body: undefined, trailers: undefined, matched: true };
    },
  };
}

/** Creates the headers of a Trailers-Only response: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md#responses */
export function createTrailersOnlyHeaders(failure: Failure): HttpHeaders {
  return { ...HEADERS, ...createFailureTrailers(failure, {}) };
}

function createResponse(context: CallContext, body: Uint8Array, trailers: () => HttpHeaders): HttpResponse {
  const { touchedHeader } = context;
  const ownHeaders = touchedHeader === undefined ? context.ownHeaders : removeProtocolHeaders(context.copyHeaders());
  return { status: 200, headers: HEADERS, ownHeaders, body, trailers, matched: true };
}

function createEnd(context: CallContext): () => HttpHeaders {
  if (context.touchedTrailer === undefined) return getOk;
  const trailers = { ...OK, ...removeProtocolHeaders(context.copyTrailers()) };
  return () => trailers;
}
