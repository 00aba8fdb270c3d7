import type { Message } from "@bufbuild/protobuf";
import type { MethodImplSpec } from "@connectrpc/connect";
import { createResponseEncoder } from "../encode/encode-response.js";
import { isNotModified } from "../responses/preconditions.js";
import { appendHeaders } from "../responses/response-headers.js";
import { createSuccessHead } from "../responses/success-head.js";
import type { RequestTarget } from "../routing/request-target.js";
import type { HttpRule } from "../rules/http-rule.js";
import type { TranscoderRequest } from "../transcoder-request.js";
import type { ResponseHeaders, TranscoderResponse } from "../transcoder-response.js";
import type { CallContext } from "./call-context.js";
import { acceptsTrailers, createResponseHeaders, createTrailers } from "./context-headers.js";
import { type Endpoint, type EndpointOptions, openContext } from "./endpoint.js";
import { createUnaryCall } from "./method-call.js";
import { createMessageReader } from "./read-message.js";
import type { MethodOptions } from "./recorded-method.js";
import { runCall } from "./run-call.js";

type ResponseWriter = (
  request: TranscoderRequest,
  target: RequestTarget,
  message: Message,
  context: CallContext,
) => TranscoderResponse;

/** Creates the endpoint of a unary method: read, decode, call, encode, and nothing in between. */
export function createUnaryEndpoint(
  rule: HttpRule,
  spec: MethodImplSpec & { kind: "unary" },
  options: MethodOptions,
  shared: EndpointOptions,
): Endpoint {
  const read = createMessageReader(rule, { ...shared, decode: shared.json, readMaxBytes: options.readMaxBytes });
  const call = createUnaryCall(spec, options.interceptors);
  const write = createResponseWriter(rule, shared);
  const { requestGate } = options;
  return async (request, target, values) => {
    const context = openContext(rule, request, options);
    const answer = (input: Message) => {
      context.throwIfEnded();
      return call(input, context);
    };
    const readAndAnswer = () => {
      const input = read(request, values, target.query, context);
      return input instanceof Promise ? input.then(answer) : answer(input);
    };
    const run =
      requestGate === undefined
        ? readAndAnswer
        : () => {
            const admitted = requestGate(context);
            return admitted === undefined ? readAndAnswer() : admitted.then(readAndAnswer);
          };
    try {
      const message = await runCall(context, options, run);
      return write(request, target, message, context);
    } catch (error) {
      return shared.errors.encode(error, context);
    } finally {
      context.finish();
    }
  };
}

function createResponseWriter(rule: HttpRule, { basePath, json }: EndpointOptions): ResponseWriter {
  const head = createSuccessHead(rule, basePath, json);
  const encoder = createResponseEncoder(rule.rpc.output, rule.responseBody, json);
  return (request, target, message, context) => {
    const headers = createResponseHeaders(context);
    const trailers = writeTrailers(request, context, headers);
    head.addHeaders(headers, message, target);
    const { etag } = headers;
    if (head.hasEtag && typeof etag === "string" && isSafeRead(request) && isNotModified(request, etag)) {
      delete headers["content-type"];
      return { status: 304, headers, body: undefined, trailers, matched: true };
    }
    let body: TranscoderResponse["body"];
    if (!head.hasBody) {
      delete headers["content-type"];
    } else if (encoder.readRaw === undefined) {
      headers["content-type"] = "application/json";
      body = encoder.encode(message);
    } else {
      const raw = encoder.readRaw(message);
      headers["content-type"] = raw.contentType || "application/octet-stream";
      body = raw.data;
    }
    return { status: head.status, headers, body, trailers, matched: true };
  };
}

/** Whether a request's conditions can be looked at when its answer is there: it changes nothing. */
function isSafeRead({ method }: TranscoderRequest): boolean {
  return method === "GET" || method === "HEAD";
}

/** Trailers travel as headers where the client does not ask for them: it would not see them otherwise. */
function writeTrailers(
  request: TranscoderRequest,
  context: CallContext,
  headers: ResponseHeaders,
): TranscoderResponse["trailers"] {
  if (context.touchedTrailer === undefined) return undefined;
  const trailers = createTrailers(context);
  const names = Object.keys(trailers);
  if (names.length === 0) return undefined;
  if (!acceptsTrailers(request)) {
    appendHeaders(headers, context.touchedTrailer);
    return undefined;
  }
  headers.trailer = names.join(", ");
  return () => trailers;
}
