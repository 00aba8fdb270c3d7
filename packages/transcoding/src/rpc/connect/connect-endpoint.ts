import type { Message } from "@bufbuild/protobuf";
import type { MethodImplSpec } from "@connectrpc/connect";
import { CallContext } from "../../calls/call-context.js";
import { createResponseHeaders, createTrailers } from "../../calls/context-headers.js";
import { createUnaryCall } from "../../calls/method-call.js";
import { fieldError } from "../../calls/read-message.js";
import type { MethodOptions } from "../../calls/recorded-method.js";
import { runCall } from "../../calls/run-call.js";
import { parseConnectTimeout } from "../../calls/timeout.js";
import type { FailureReader } from "../../responses/failure.js";
import { httpStatusFromCode } from "../../responses/http-status.js";
import { appendHeaders } from "../../responses/response-headers.js";
import type { TranscoderOptions } from "../../transcoder-options.js";
import type { TranscoderRequest } from "../../transcoder-request.js";
import type { ResponseHeaders, TranscoderResponse } from "../../transcoder-response.js";
import { encodeConnectError } from "./connect-error.js";
import type { ConnectFormat } from "./connect-format.js";

/** Answers the calls of one method, whose message `readBytes` gives. Never rejects: every failure is an answer. */
export type ConnectEndpoint = (
  request: TranscoderRequest,
  format: ConnectFormat,
  readBytes: (maxBytes: number) => Uint8Array | Promise<Uint8Array>,
) => Promise<TranscoderResponse>;

/** Creates the endpoint of a unary method: read, decode, call, encode, and nothing in between. */
export function createConnectEndpoint(
  spec: MethodImplSpec & { kind: "unary" },
  options: MethodOptions,
  readFailure: FailureReader,
  validate: TranscoderOptions["validate"],
): ConnectEndpoint {
  const { method } = spec;
  const { readMaxBytes, requestGate } = options;
  const call = createUnaryCall(spec, options.interceptors);
  return async (request, format, readBytes) => {
    let context: CallContext | undefined;
    try {
      const opened = openContext(request);
      context = opened;
      const run = async () => {
        const admitted = requestGate?.(opened);
        if (admitted !== undefined) await admitted;
        const decoded = format.decode(await readBytes(readMaxBytes));
        if (decoded.violations.length > 0) throw await fieldError(decoded, opened, validate);
        opened.throwIfEnded();
        return call(decoded.message, opened);
      };
      const message = await runCall(opened, options, run);
      return encodeMessage(message, format, opened);
    } catch (error) {
      return encodeFailure(error, context);
    } finally {
      context?.finish();
    }
  };

  function openContext(request: TranscoderRequest): CallContext {
    const timeout = request.header("connect-timeout-ms");
    const timeoutMs = timeout === undefined ? undefined : parseConnectTimeout(timeout, options.maxTimeoutMs);
    return new CallContext("connect", method, request, timeoutMs, options.shutdownSignal);
  }

  function encodeFailure(error: unknown, context: CallContext | undefined): TranscoderResponse {
    const failure = readFailure(error, context);
    const headers = context === undefined ? {} : createHeaders(context);
    appendHeaders(headers, failure.headers);
    headers["content-type"] = "application/json";
    return createResponse(httpStatusFromCode(failure.code), headers, encodeConnectError(failure));
  }
}

function encodeMessage(message: Message, format: ConnectFormat, context: CallContext): TranscoderResponse {
  const headers = createHeaders(context);
  headers["content-type"] = format.contentType;
  return createResponse(200, headers, format.encode(message));
}

/** The headers of an answer. Trailers are headers with a prefix: https://connectrpc.com/docs/protocol#unary-response */
function createHeaders(context: CallContext): ResponseHeaders {
  const headers = createResponseHeaders(context);
  const trailers = createTrailers(context);
  for (const name of Object.keys(trailers)) headers[`trailer-${name}`] = trailers[name] as string | string[];
  return headers;
}

function createResponse(status: number, headers: ResponseHeaders, body: string | Uint8Array): TranscoderResponse {
  return { status, headers, body, trailers: undefined, matched: true };
}
