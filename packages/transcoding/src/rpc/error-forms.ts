import type { ConnectError } from "@connectrpc/connect";
import { createErrorWriter } from "../calls/error-response.js";
import type { EncodeOptions } from "../encode/encode-options.js";
import type { HttpHeaders, HttpResponse, MutableHeaders } from "../http/http-response.js";
import type { RequestError } from "../http/request-error.js";
import { appendHeaders } from "../http/response-headers.js";
import { createFailureReader } from "../responses/failure.js";
import { httpStatusFromCode } from "../responses/http-status.js";
import { encodeConnectError } from "./connect-error.js";
import { createTrailersOnlyHeaders } from "./grpc-codec.js";
import { frameMessage } from "./message-prefix.js";

/** An error as each protocol sends it, built once for all requests that are refused with it. */
export interface ErrorForms {
  /** For the JSON paths, as in AIP-193. */
  readonly json: ErrorForm;
  /** For unary calls of the Connect protocol, and for content types of no other form. */
  readonly connect: ErrorForm;
  /** For gRPC: headers without a body (Trailers-Only). */
  readonly grpc: ErrorForm;
  /** For the content types of gRPC-Web and of the streams of the Connect protocol. */
  readonly byType: ReadonlyMap<string, ErrorForm>;
  /** The form for requests of a procedure with this content type. */
  forProcedure(contentType: string | undefined): ErrorForm;
}

/** A response that can be sent to any number of requests. Its headers are frozen; its body is ASCII. */
export interface ErrorForm extends HttpResponse {
  readonly body: string | undefined;
}

/**
 * Creates the forms of an error.
 *
 * @param domain that of the `google.rpc.ErrorInfo` of an error without one.
 * @param httpStatus that of the JSON form, if HTTP has a closer one than the error's code.
 * @param json the JSON options of the transcoder, for the details in the JSON form.
 */
export function createErrorForms(
  error: ConnectError | RequestError,
  domain: string,
  httpStatus?: number,
  json: EncodeOptions = {},
): ErrorForms {
  const read = createFailureReader(domain, undefined)(error, undefined);
  const failure = { ...read, httpStatus: httpStatus ?? read.httpStatus };
  const headers: MutableHeaders = { "content-type": "application/json" };
  appendHeaders(headers, failure.headers);
  const connect = encodeConnectError(failure);
  const grpcHeaders = createTrailersOnlyHeaders(failure);
  const grpc = createForm(200, grpcHeaders, undefined);
  const connectForm = createForm(httpStatusFromCode(failure.code), headers, connect);
  const byType = new Map([
    ...GRPC_WEB.map((type) => [type, createForm(200, { ...grpcHeaders, "content-type": type }, undefined)] as const),
    ...CONNECT_STREAM.map((type) => [type, createStreamForm(type, headers, connect)] as const),
  ]);
  return {
    json: createForm(failure.httpStatus, headers, `{"error":${createErrorWriter(json)(failure)}}`),
    connect: connectForm,
    grpc,
    byType,
    forProcedure(contentType = "") {
      // A client of another type of gRPC-Web, such as that in text, reads the headers all the same.
      return byType.get(contentType) ?? (contentType.startsWith("application/grpc") ? grpc : connectForm);
    },
  };
}

const GRPC_WEB = ["application/grpc-web", "application/grpc-web+proto", "application/grpc-web+json"];
const CONNECT_STREAM = ["application/connect+proto", "application/connect+json"];
const END_OF_STREAM = 2;

/** A stream that ends at once: https://connectrpc.com/docs/protocol#error-end-stream */
function createStreamForm(type: string, headers: HttpHeaders, error: string): ErrorForm {
  const message = `{"error":${error}}`;
  // A multiple of 256, so that the bytes of its length are ASCII too.
  const length = Math.ceil(message.length / 256) * 256;
  const bytes = frameMessage(new TextEncoder().encode(message.padEnd(length)), END_OF_STREAM);
  return createForm(200, { ...headers, "content-type": type }, new TextDecoder().decode(bytes));
}

function createForm(status: number, headers: HttpHeaders, body: string | undefined): ErrorForm {
  return { status, headers: Object.freeze({ ...headers }), body, trailers: undefined, matched: true };
}
