import type { ConnectError } from "@connectrpc/connect";
import type { EncodeOptions } from "../encode/encode-options.js";
import { createErrorWriter } from "../responses/error-response.js";
import { createFailureReader } from "../responses/failure.js";
import { httpStatusFromCode } from "../responses/http-status.js";
import { appendHeaders } from "../responses/response-headers.js";
import type { ResponseHeaders } from "../transcoder-response.js";
import { encodeConnectError } from "./connect/connect-error.js";
import { createFailureFields } from "./grpc/grpc-response.js";

/** An error as each protocol sends it, made once for all the requests that are refused with it. */
export interface ErrorForms {
  /** For the JSON paths, as in AIP-193. */
  readonly json: ErrorForm;
  /** For unary calls of the Connect protocol. */
  readonly connect: ErrorForm;
  /** For the content types that need a form of their own: those of gRPC-Web, and of the streams of the Connect protocol. */
  readonly byType: ReadonlyMap<string, ErrorForm>;
  /** For gRPC: headers that are the whole answer, names and values in turn. The list is frozen. */
  readonly grpc: readonly string[];
}

/** A response of HTTP. */
export interface ErrorForm {
  readonly status: number;
  readonly headers: Readonly<ResponseHeaders>;
  /** ASCII. */
  readonly body: string;
}

/**
 * Makes the forms of an error.
 *
 * @param domain that of the `google.rpc.ErrorInfo` of an error that has none of its own.
 * @param httpStatus that of the JSON form, where HTTP has a closer one than the error's code.
 * @param json the JSON options of the transcoder, which the details in the JSON form follow.
 */
export function createErrorForms(
  error: ConnectError,
  domain: string,
  httpStatus: number = httpStatusFromCode(error.code),
  json: EncodeOptions = {},
): ErrorForms {
  const failure = { ...createFailureReader(domain, undefined)(error, undefined), httpStatus };
  const headers: ResponseHeaders = { "content-type": "application/json" };
  appendHeaders(headers, failure.headers);
  const connect = encodeConnectError(failure);
  const grpc = Object.freeze(createFailureFields(failure, {}));
  return {
    json: { status: httpStatus, headers, body: `{"error":${createErrorWriter(json)(failure)}}` },
    connect: { status: httpStatusFromCode(error.code), headers, body: connect },
    byType: new Map([
      ...GRPC_WEB.map((type) => [type, createGrpcWebForm(type, grpc)] as const),
      ...CONNECT_STREAM.map((type) => [type, createConnectStreamForm(type, headers, connect)] as const),
    ]),
    grpc,
  };
}

const GRPC_WEB = ["application/grpc-web", "application/grpc-web+proto", "application/grpc-web+json"];
const CONNECT_STREAM = ["application/connect+proto", "application/connect+json"];

/** As in gRPC, headers that are the whole answer. */
function createGrpcWebForm(type: string, fields: readonly string[]): ErrorForm {
  const headers: ResponseHeaders = {};
  for (let at = 0; at < fields.length; at += 2) headers[fields[at] as string] = fields[at + 1] as string;
  const { ":status": _, ...rest } = headers;
  return { status: 200, headers: { ...rest, "content-type": type }, body: "" };
}

const END_OF_STREAM = 2;

/** A stream that ends at once: https://connectrpc.com/docs/protocol#error-end-stream */
function createConnectStreamForm(type: string, headers: Readonly<ResponseHeaders>, error: string): ErrorForm {
  const message = `{"error":${error}}`;
  // A multiple of 256, so that the bytes of its length are ASCII too.
  const length = Math.ceil(message.length / 256) * 256;
  const prefix = Buffer.alloc(5);
  prefix[0] = END_OF_STREAM;
  prefix.writeUInt32BE(length, 1);
  const body = prefix.toString("latin1") + message.padEnd(length);
  return { status: 200, headers: { ...headers, "content-type": type }, body };
}
