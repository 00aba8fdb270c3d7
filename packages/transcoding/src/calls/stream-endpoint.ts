import type { MethodImplSpec } from "@connectrpc/connect";
import { createResponseEncoder, type ResponseEncoder } from "../encode/encode-response.js";
import type { HttpRequest } from "../http/http-request.js";
import { appendHeader } from "../http/response-headers.js";
import type { HttpRule } from "../rules/http-rule.js";
import { acceptsTrailers, createResponseHeaders, createTrailers } from "./context-headers.js";
import { type Endpoint, type EndpointOptions, openContext } from "./endpoint.js";
import type { ErrorEncoder } from "./error-response.js";
import { createStreamCall, streamOf } from "./method-call.js";
import { createMessageReader } from "./read-message.js";
import type { MethodOptions } from "./recorded-method.js";
import { type ChunkWriter, StreamBody } from "./stream-body.js";
import { negotiateStreamFormat, type StreamFormat } from "./stream-format.js";
import { createUploadReader } from "./upload-messages.js";

/** Creates the endpoint of a server-streaming method. The status is sent with the first message or error. */
export function createStreamEndpoint(
  rule: HttpRule,
  spec: MethodImplSpec & { kind: "server_streaming" | "bidi_streaming" },
  options: MethodOptions,
  shared: EndpointOptions,
): Endpoint {
  const read = createInputReader(rule, spec.kind, options, shared);
  const call = createStreamCall(spec, options.interceptors);
  const createWriter = createWriterFactory(rule, shared);
  const { requestGate } = options;
  return async (request, details) => {
    const writer = createWriter(request);
    const context = openContext(rule, request, options);
    try {
      const messages = await context.race(async () => {
        if (requestGate !== undefined) await requestGate(context);
        const inputs = await read(request, context, details);
        context.throwIfEnded();
        return call(inputs, context);
      });
      const body = new StreamBody(messages[Symbol.asyncIterator](), context, writer);
      await body.open();
      const headers = createResponseHeaders(context);
      headers["content-type"] = writer.contentType;
      if (writer.isNegotiated) appendHeader(headers, "vary", "accept");
      const trailers = acceptsTrailers(request) ? () => createTrailers(context) : undefined;
      return { status: rule.response?.status || 200, headers, body, trailers, matched: true };
    } catch (error) {
      context.finish();
      return shared.errors.encode(error, context);
    }
  };
}

/** Reads the messages of a request: the chunks of an upload, or one message. */
function createInputReader(
  rule: HttpRule,
  kind: "server_streaming" | "bidi_streaming",
  { readMaxBytes }: MethodOptions,
  shared: EndpointOptions,
) {
  if (kind === "bidi_streaming") return createUploadReader(rule, shared);
  const read = createMessageReader(rule, readMaxBytes, shared);
  return async (...request: Parameters<typeof read>) => streamOf(await read(...request));
}

function createWriterFactory(rule: HttpRule, { json, errors }: EndpointOptions): (request: HttpRequest) => ChunkWriter {
  const encoder = createResponseEncoder(rule.rpc.output, rule.responseBody, json);
  const { readRaw } = encoder;
  if (readRaw !== undefined) return () => createRawWriter(readRaw);
  return (request) => createJsonWriter(negotiateStreamFormat(request.header("accept")), encoder, errors);
}

function createJsonWriter(format: StreamFormat, encoder: ResponseEncoder, errors: ErrorEncoder): ChunkWriter {
  return {
    isNegotiated: true,
    contentType: format.contentType,
    message: (message, first) => format.message(encoder.encode(message), first),
    error: (error, context) => format.error(errors.encodeRecord(error, context)),
    end: format.end,
  };
}

/** Creates chunks from the bytes of all messages, with the content type of the first one. An error cuts the body off. */
function createRawWriter(readRaw: NonNullable<ResponseEncoder["readRaw"]>): ChunkWriter {
  let contentType = "";
  return {
    isNegotiated: false,
    get contentType() {
      return contentType || "application/octet-stream";
    },
    message(message, first) {
      const raw = readRaw(message);
      if (first) contentType = raw.contentType;
      return raw.data;
    },
    error(error) {
      throw error;
    },
    end: () => "",
  };
}
