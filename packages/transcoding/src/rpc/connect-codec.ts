import { base64Decode } from "@bufbuild/protobuf/wire";
import type { CallContext } from "../calls/call-context.js";
import { type MessageValidator, requireValid } from "../calls/require-valid.js";
import { parseConnectTimeout } from "../calls/timeout.js";
import type { UnaryCodec } from "../calls/unary-endpoint.js";
import { createBodyTooLargeError } from "../http/body-errors.js";
import type { HttpRequest } from "../http/http-request.js";
import type { MutableHeaders, MutableResponse } from "../http/http-response.js";
import { readBody } from "../http/read-body.js";
import { RequestError } from "../http/request-error.js";
import { appendHeaders } from "../http/response-headers.js";
import type { FailureReader } from "../responses/failure.js";
import { httpStatusFromCode } from "../responses/http-status.js";
import { encodeConnectError } from "./connect-error.js";
import type { ConnectFormat, ConnectFormats } from "./connect-format.js";

/** A plain unary call of the Connect protocol. */
export interface ConnectCall {
  readonly format: ConnectFormat;
  /** The query parameters of a GET, which contain its message; undefined for a POST. */
  readonly parameters: URLSearchParams | undefined;
}

const FORMATS: Readonly<Record<string, keyof ConnectFormats>> = {
  "application/json": "json",
  "application/json; charset=utf-8": "json",
  "application/json;charset=utf-8": "json",
  "application/proto": "proto",
};

/**
 * Reads the head of a plain unary call. Returns undefined for any other request.
 *
 * @param takesGet whether the method can be called with GET.
 */
export function findConnectCall(
  request: HttpRequest,
  contentType: string | undefined,
  formats: ConnectFormats,
  takesGet: boolean,
): ConnectCall | undefined {
  const { method, target } = request;
  if (method === "POST") {
    const format = FORMATS[contentType?.toLowerCase() ?? ""];
    const encoding = request.header("content-encoding");
    if (format === undefined || (encoding !== undefined && encoding !== "identity")) return undefined;
    return { format: formats[format], parameters: undefined };
  }
  const mark = target.indexOf("?");
  return method === "GET" && takesGet && mark !== -1 ? findGet(target.slice(mark + 1), formats) : undefined;
}

/** https://connectrpc.com/docs/protocol#unary-get-request */
function findGet(query: string, formats: ConnectFormats): ConnectCall | undefined {
  const parameters = new URLSearchParams(query);
  const format = parameters.get("encoding");
  const isPlain = (parameters.get("compression") ?? "identity") === "identity";
  return isPlain && (format === "json" || format === "proto") ? { format: formats[format], parameters } : undefined;
}

/** Creates the codec of the plain unary calls of the Connect protocol. */
export function createConnectCodec(
  readMaxBytes: number,
  readFailure: FailureReader,
  validate: MessageValidator | undefined,
): UnaryCodec<ConnectCall, MutableResponse> {
  return {
    protocolName: "connect",
    readTimeout: (request) => parseConnectTimeout(request.header("connect-timeout-ms")),
    read(request, context, { format, parameters }) {
      const decode = (bytes: Uint8Array) => requireValid(format.decode(bytes), context, validate);
      const body = parameters === undefined ? readBody(request, readMaxBytes) : readParameter(parameters, readMaxBytes);
      return body instanceof Promise ? body.then(decode) : decode(body);
    },
    write(message, context, _, { format }) {
      const headers = createHeaders(context);
      headers["content-type"] = format.contentType;
      return createResponse(200, headers, format.encode(message));
    },
    fail(error, context) {
      const failure = readFailure(error, context);
      const headers = context === undefined ? {} : createHeaders(context);
      appendHeaders(headers, failure.headers);
      headers["content-type"] = "application/json";
      return createResponse(httpStatusFromCode(failure.code), headers, encodeConnectError(failure));
    },
  };
}

function readParameter(parameters: URLSearchParams, maxBytes: number): Uint8Array {
  const text = parameters.get("message") ?? "";
  const bytes = parameters.get("base64") === "1" ? decodeBase64(text) : new TextEncoder().encode(text);
  if (bytes.length > maxBytes) throw createBodyTooLargeError(maxBytes);
  return bytes;
}

function decodeBase64(text: string): Uint8Array {
  try {
    return base64Decode(text);
  } catch {
    throw new RequestError("BODY_MALFORMED", "the message must be base64, because of base64=1");
  }
}

/** Creates the headers of a response. Trailers become prefixed headers: https://connectrpc.com/docs/protocol#unary-response */
function createHeaders(context: CallContext): MutableHeaders {
  const headers = context.copyHeaders();
  if (context.touchedTrailer === undefined) return headers;
  const trailers = context.copyTrailers();
  for (const name in trailers) headers[`trailer-${name}`] = trailers[name] as string | string[];
  return headers;
}

function createResponse(status: number, headers: MutableHeaders, body: string | Uint8Array): MutableResponse {
  return { status, headers, body, trailers: undefined, matched: true };
}
