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
  const createChunks = createChunkFactory(rule, shared);
  const { requestGate } = options;
  return async (request, details) => {
    const chunks = createChunks(request);
    const context = openContext(rule, request, options);
    try {
      const messages = await context.race(async () => {
        if (requestGate !== undefined) await requestGate(context);
        const inputs = await read(request, context, details);
        context.throwIfEnded();
        return call(inputs, context);
      });
      const body = new StreamBody(messages[Symbol.asyncIterator](), context, chunks.writer);
      await body.open();
      const headers = createResponseHeaders(context);
      headers["content-type"] = chunks.contentType();
      if (chunks.isNegotiated) appendHeader(headers, "vary", "accept");
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

interface Chunks {
  readonly writer: ChunkWriter;
  /** Whether `Accept` chooses the format. */
  readonly isNegotiated: boolean;
  /** The content type; known once the first message has been written. */
  readonly contentType: () => string;
}

function createChunkFactory(rule: HttpRule, { json, errors }: EndpointOptions): (request: HttpRequest) => Chunks {
  const encoder = createResponseEncoder(rule.rpc.output, rule.responseBody, json);
  const { readRaw } = encoder;
  if (readRaw !== undefined) return () => createRawChunks(readRaw);
  return (request) => createJsonChunks(negotiateStreamFormat(request.header("accept")), encoder, errors);
}

function createJsonChunks(format: StreamFormat, encoder: ResponseEncoder, errors: ErrorEncoder): Chunks {
  return {
    isNegotiated: true,
    contentType: () => format.contentType,
    writer: {
      message: (message, first) => format.message(encoder.encode(message), first),
      error: (error, context) => format.error(errors.encodeRecord(error, context)),
      end: format.end,
    },
  };
}

/** Creates chunks from the bytes of all messages, with the content type of the first one. An error cuts the body off. */
function createRawChunks(readRaw: NonNullable<ResponseEncoder["readRaw"]>): Chunks {
  let contentType = "";
  return {
    isNegotiated: false,
    contentType: () => contentType || "application/octet-stream",
    writer: {
      message(message, first) {
        const raw = readRaw(message);
        if (first) contentType = raw.contentType;
        return raw.data;
      },
      error(error) {
        throw error;
      },
      end: () => "",
    },
  };
}
