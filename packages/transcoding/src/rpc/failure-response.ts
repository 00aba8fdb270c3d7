import type { ConnectError } from "@connectrpc/connect";
import { errorToJson } from "@connectrpc/connect/protocol-connect";
import type { EncodeOptions } from "../encode/encode-options.js";
import { createErrorWriter } from "../endpoints/error-response.js";
import { type ContentCoding, formatCodings } from "../http/content-coding.js";
import type { HttpResponse, MutableHeaders } from "../http/http-response.js";
import { parseMediaType } from "../http/media-type.js";
import { appendHeaders } from "../http/response-headers.js";
import { createFailureReader, type Failure, failureToConnectError } from "../responses/failure.js";
import { httpStatusFromCode } from "../responses/http-status.js";
import { END_OF_STREAM, frameMessage } from "./envelope.js";
import { createFailureTrailers } from "./grpc-status.js";

/** A response that is complete before it is sent. */
export interface WholeResponse extends HttpResponse {
  readonly body: string | Uint8Array | undefined;
}

/** An error in the form of each protocol, built once for all requests that are rejected with it. */
export interface ErrorForms {
  /** The form for the JSON paths (AIP-193). */
  readonly json: WholeResponse;
  /** Returns the form for a procedure's requests with this content type. */
  forProcedure(contentType: string | undefined): WholeResponse;
}

/**
 * Creates the forms of an error. Their headers are frozen.
 *
 * @param domain the domain of the `google.rpc.ErrorInfo` that is added if the error has none.
 * @param httpStatus the status of the JSON form, if HTTP has a more specific one than the error's code.
 * @param json the JSON options of the transcoder, for the details in the JSON form.
 * @param unaryStatus the status for unary Connect RPCs. Default: that of the error's code.
 */
export function createErrorForms(
  error: ConnectError,
  domain: string,
  httpStatus?: number,
  json: EncodeOptions = {},
  unaryStatus?: number,
): ErrorForms {
  const read = createFailureReader(domain, undefined)(error, undefined);
  const failure = { ...read, httpStatus: httpStatus ?? read.httpStatus };
  const text = `{"error":${createErrorWriter(json)(failure)}}`;
  const create = (type: string) => createFailureResponse(failure, type, undefined, unaryStatus);
  const forms = new Map(CONTENT_TYPES.map((type) => [type, create(type)]));
  return {
    json: createResponse(failure.httpStatus, failure, "application/json", text),
    forProcedure: (contentType = "") => forms.get(contentType) ?? create(parseMediaType(contentType) ?? ""),
  };
}

/** The content types whose forms are created in advance. */
const CONTENT_TYPES: readonly string[] = [
  "application/json",
  "application/proto",
  "application/grpc",
  "application/grpc+proto",
  "application/grpc-web+proto",
];

/**
 * Creates the response to an RPC that fails before it reaches its method. For gRPC and gRPC-Web it consists of headers only
 * (Trailers-Only); for Connect streams it is the end of the stream. Any other media type gets the error of a unary Connect RPC.
 *
 * @param mediaType as `parseMediaType` returns it.
 * @param codings the codings that the server accepts; undefined if the response does not depend on the request.
 * @param unaryStatus the status for a unary Connect RPC. Default: that of the error's code.
 */
export function createFailureResponse(
  failure: Failure,
  mediaType: string,
  codings?: readonly ContentCoding[],
  unaryStatus = httpStatusFromCode(failure.code),
): WholeResponse {
  if (mediaType.startsWith("application/grpc")) {
    const accepted = codings && { "grpc-accept-encoding": formatCodings(codings) };
    const headers = { "content-type": mediaType, ...accepted, ...createFailureTrailers(failure, {}) };
    return { status: 200, headers: Object.freeze(headers), body: undefined, trailers: undefined };
  }
  const error = encodeConnectError(failure);
  if (!mediaType.startsWith("application/connect+")) {
    return createResponse(unaryStatus, failure, "application/json", error);
  }
  // https://connectrpc.com/docs/protocol#error-end-stream
  const end = frameMessage(new TextEncoder().encode(`{"error":${error}}`), END_OF_STREAM);
  return createResponse(200, failure, mediaType, end);
}

function createResponse(
  status: number,
  failure: Failure,
  contentType: string,
  body: string | Uint8Array,
): WholeResponse {
  const headers: MutableHeaders = { "content-type": contentType };
  appendHeaders(headers, failure.headers);
  return { status, headers: Object.freeze(headers), body, trailers: undefined };
}

/** Encodes an error as JSON: https://connectrpc.com/docs/protocol#error-end-stream */
export function encodeConnectError(failure: Failure): string {
  return JSON.stringify(errorToJson(failureToConnectError(failure), undefined));
}
