import type { ConnectError } from "@connectrpc/connect";
import { createErrorWriter } from "../calls/error-response.js";
import type { EncodeOptions } from "../encode/encode-options.js";
import type { HttpHeaders, HttpResponse, MutableHeaders } from "../http/http-response.js";
import type { RequestError } from "../http/request-error.js";
import { appendHeaders } from "../http/response-headers.js";
import { createFailureReader } from "../responses/failure.js";
import { httpStatusFromCode } from "../responses/http-status.js";
import { encodeConnectError } from "./connect-error.js";
import { frameMessage } from "./envelope.js";
import { createTrailersOnlyHeaders } from "./grpc-codec.js";

/** The encodings of an error in all protocols, built once for all requests that are rejected with it. */
export interface ErrorForms {
  /** The form for the JSON paths (AIP-193). */
  readonly json: ErrorForm;
  /** The form for unary calls of the Connect protocol, and for unknown content types. */
  readonly connect: ErrorForm;
  /** The form for gRPC: headers without a body (Trailers-Only). */
  readonly grpc: ErrorForm;
  /** The forms for the content types of gRPC-Web and of Connect streams. */
  readonly byType: ReadonlyMap<string, ErrorForm>;
  /** Returns the form for a procedure's requests with this content type. */
  forProcedure(contentType: string | undefined): ErrorForm;
}

/** A response that can be sent to any number of requests. Its headers are frozen; its body is ASCII. */
export interface ErrorForm extends HttpResponse {
  readonly body: string | undefined;
}

/**
 * Creates the forms of an error.
 *
 * @param domain the domain of the `google.rpc.ErrorInfo` if the error has none.
 * @param httpStatus the status of the JSON form, if HTTP has a more specific one than the error's code.
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
      // Clients of other gRPC-Web types, such as the text format, read the headers instead.
      return byType.get(contentType) ?? (contentType.startsWith("application/grpc") ? grpc : connectForm);
    },
  };
}

const GRPC_WEB = ["application/grpc-web", "application/grpc-web+proto", "application/grpc-web+json"];
const CONNECT_STREAM = ["application/connect+proto", "application/connect+json"];
const END_OF_STREAM = 2;

/** Creates a stream that consists of an error: https://connectrpc.com/docs/protocol#error-end-stream */
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
