import type { ConnectError } from "@connectrpc/connect";
import { errorToJson } from "@connectrpc/connect/protocol-connect";
import type { EncodeOptions } from "../encode/encode-options.js";
import { createFailureEncoder } from "../endpoints/error-response.js";
import { type ContentCoding, formatCodingList } from "../http/content-coding.js";
import type { HttpResponse, MutableHeaders } from "../http/http-response.js";
import { parseMediaType } from "../http/media-type.js";
import { appendHeaders } from "../http/response-headers.js";
import { createFailureConverter, failureToConnectError, type RpcFailure } from "../responses/failure.js";
import { httpStatusFromCode } from "../responses/http-status.js";
import { END_OF_STREAM_FLAG, frameMessage } from "./envelope.js";
import { createGrpcFailureTrailers } from "./grpc-status.js";

/** A response whose complete body is known before it is sent. */
export interface BufferedResponse extends HttpResponse {
  readonly body: string | Uint8Array | undefined;
}

/** The responses for one error in each protocol, created once for all requests that are rejected with this error. */
export interface ErrorResponsesByProtocol {
  /** The response for JSON paths (AIP-193). */
  readonly json: BufferedResponse;
  /** Returns the response for an RPC over gRPC, gRPC-Web or Connect whose request has this content type. */
  forProcedure(contentType: string | undefined): BufferedResponse;
}

/**
 * Creates the responses for an error, with frozen headers.
 *
 * @param domain the domain of the `google.rpc.ErrorInfo` that is added to an error without an ErrorInfo.
 * @param httpStatus the HTTP status of the response for JSON paths. Default: the status for the error's code.
 * @param json the JSON options of the transcoder, which apply to the error details for JSON paths.
 * @param unaryStatus the HTTP status for unary Connect RPCs. Default: the status for the error's code.
 */
export function createErrorResponsesByProtocol(
  error: ConnectError,
  domain: string,
  httpStatus?: number,
  json: EncodeOptions = {},
  unaryStatus?: number,
): ErrorResponsesByProtocol {
  const read = createFailureConverter(domain, undefined)(error, undefined);
  const failure = { ...read, httpStatus: httpStatus ?? read.httpStatus };
  const text = `{"error":${createFailureEncoder(json)(failure)}}`;
  const create = (type: string) => createFailureResponse(failure, type, undefined, unaryStatus);
  const forms = new Map(CONTENT_TYPES.map((type) => [type, create(type)]));
  return {
    json: createResponse(failure.httpStatus, failure, "application/json", text),
    forProcedure: (contentType = "") => forms.get(contentType) ?? create(parseMediaType(contentType) ?? ""),
  };
}

/** The content types for which the responses are created in advance. */
const CONTENT_TYPES: readonly string[] = [
  "application/json",
  "application/proto",
  "application/grpc",
  "application/grpc+proto",
  "application/grpc-web+proto",
];

/**
 * Creates the response to an RPC that fails before its method is called. For gRPC and gRPC-Web, the response consists of headers only
 * (Trailers-Only). For Connect streams, it is the end of the stream. Any other media type gets the error of a unary Connect RPC.
 *
 * @param mediaType the request's media type, as `parseMediaType` returns it.
 * @param codings the content codings that the server accepts; undefined if the response must not depend on the request.
 * @param unaryStatus the HTTP status for a unary Connect RPC. Default: the status for the error's code.
 */
export function createFailureResponse(
  failure: RpcFailure,
  mediaType: string,
  codings?: readonly ContentCoding[],
  unaryStatus = httpStatusFromCode(failure.code),
): BufferedResponse {
  if (mediaType.startsWith("application/grpc")) {
    const accepted = codings && { "grpc-accept-encoding": formatCodingList(codings) };
    const headers = { "content-type": mediaType, ...accepted, ...createGrpcFailureTrailers(failure, {}) };
    return { status: 200, headers: Object.freeze(headers), body: undefined, trailers: undefined };
  }
  const error = encodeConnectError(failure);
  if (!mediaType.startsWith("application/connect+")) {
    return createResponse(unaryStatus, failure, "application/json", error);
  }
  // https://connectrpc.com/docs/protocol#error-end-stream
  const end = frameMessage(new TextEncoder().encode(`{"error":${error}}`), END_OF_STREAM_FLAG);
  return createResponse(200, failure, mediaType, end);
}

function createResponse(
  status: number,
  failure: RpcFailure,
  contentType: string,
  body: string | Uint8Array,
): BufferedResponse {
  const headers: MutableHeaders = { "content-type": contentType };
  appendHeaders(headers, failure.headers);
  return { status, headers: Object.freeze(headers), body, trailers: undefined };
}

/** Encodes an error as JSON in Connect's format: https://connectrpc.com/docs/protocol#error-end-stream */
export function encodeConnectError(failure: RpcFailure): string {
  return JSON.stringify(errorToJson(failureToConnectError(failure), undefined));
}
