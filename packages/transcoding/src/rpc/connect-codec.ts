import { base64Decode } from "@bufbuild/protobuf/wire";
import { decodeFormEncodedText } from "../decode/decode-query.js";
import type { RpcContext } from "../endpoints/rpc-context.js";
import { parseConnectTimeout } from "../endpoints/timeout.js";
import type { UnaryCodec } from "../endpoints/unary-endpoint.js";
import { createBodyTooLargeError } from "../http/body-errors.js";
import { decodeContent, requireContentCodings } from "../http/content-coding.js";
import type { HttpRequest } from "../http/http-request.js";
import type { MutableHeaders, MutableResponse } from "../http/http-response.js";
import { readBody } from "../http/read-body.js";
import { RequestError } from "../http/request-error.js";
import { appendHeaders } from "../http/response-headers.js";
import type { FailureConverter } from "../responses/failure.js";
import { httpStatusFromCode } from "../responses/http-status.js";
import { parseRequestTarget } from "../routing/request-target.js";
import { encodeConnectError } from "./failure-response.js";
import type { MessageFormat, MessageFormats } from "./message-format.js";

/** The details of a unary Connect request that its route and target determine. */
export interface ConnectRequestDetails {
  readonly format: MessageFormat;
  /** The query parameters of a GET, which contain the request message; undefined for a POST. */
  readonly query: ReadonlyMap<string, string> | undefined;
}

export function createConnectCodec(
  readMaxBytes: number,
  readFailure: FailureConverter,
): UnaryCodec<ConnectRequestDetails, MutableResponse> {
  return {
    protocolName: "connect",
    readTimeout: (request) => parseConnectTimeout(request.header("connect-timeout-ms")),
    read(request, { format, query }) {
      const body = query === undefined ? readBody(request, readMaxBytes) : readQuery(query, request, readMaxBytes);
      return body instanceof Promise ? body.then(format.decode) : format.decode(body);
    },
    write(message, context, _, { format }) {
      const headers = createHeaders(context);
      headers["content-type"] = `application/${format.name}`;
      const encoded = format.encode(message);
      const respond = (body: string | Uint8Array) => createResponse(200, headers, body);
      return encoded instanceof Promise ? encoded.then(respond) : respond(encoded);
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

function readQuery(
  query: ReadonlyMap<string, string>,
  { codings }: HttpRequest,
  maxBytes: number,
): Promise<Uint8Array> {
  const text = query.get("message") ?? "";
  const bytes = query.get("base64") === "1" ? decodeBase64(text) : new TextEncoder().encode(text);
  if (bytes.length > maxBytes) throw createBodyTooLargeError(maxBytes);
  return decodeContent(bytes, requireContentCodings(query.get("compression"), codings), maxBytes);
}

function decodeBase64(text: string): Uint8Array {
  try {
    return base64Decode(text);
  } catch {
    throw new RequestError(
      "BODY_MALFORMED",
      "the query parameter message must be base64, because the query has base64=1",
    );
  }
}

/** Creates the headers of a response. Adds the trailers with the prefix `trailer-`: https://connectrpc.com/docs/protocol#unary-response */
function createHeaders(context: RpcContext): MutableHeaders {
  const headers = context.copyHeaders();
  if (context.touchedTrailer === undefined) return headers;
  const trailers = context.copyTrailers();
  for (const name in trailers) headers[`trailer-${name}`] = trailers[name] as string | string[];
  return headers;
}

function createResponse(status: number, headers: MutableHeaders, body: string | Uint8Array): MutableResponse {
  return { status, headers, body, trailers: undefined };
}

/**
 * Parses the target of a unary GET (https://connectrpc.com/docs/protocol#unary-get-request). Throws a `RequestError` for an unknown message format,
 * for a malformed escape, and for bytes that are not UTF-8, because decoding them to text would change them.
 */
export function parseConnectGet(target: string, formats: MessageFormats): ConnectRequestDetails {
  const query = new Map<string, string>();
  for (const pair of (parseRequestTarget(target).query ?? "").split("&")) {
    const equals = pair.indexOf("=");
    const name = decodeParameter(equals === -1 ? pair : pair.slice(0, equals));
    const value = decodeParameter(equals === -1 ? "" : pair.slice(equals + 1));
    if (!query.has(name)) query.set(name, value);
  }
  const encoding = query.get("encoding");
  if (encoding === "json" || encoding === "proto") return { format: formats[encoding], query };
  throw new RequestError("CONTENT_TYPE_UNSUPPORTED", "the query parameter encoding must be json or proto");
}

function decodeParameter(raw: string): string {
  const text = decodeFormEncodedText(raw);
  if (text !== undefined) return text;
  throw new RequestError(
    "PATH_MALFORMED",
    "the query must be percent-encoded UTF-8: if the message is binary, send it in base64, with base64=1",
  );
}
