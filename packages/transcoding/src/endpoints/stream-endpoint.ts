import { create, type Message } from "@bufbuild/protobuf";
import { createResponseEncoder } from "../encode/encode-response.js";
import { createFieldReader } from "../encode/field-reader.js";
import type { HttpRequest } from "../http/http-request.js";
import type { MutableResponse } from "../http/http-response.js";
import { appendHeader, textToHeaderValue } from "../http/response-headers.js";
import { getSuccessStatus, type HttpRule } from "../rules/http-rule.js";
import type { RawBody } from "../values/raw-body.js";
import type { Endpoint, EndpointOptions, RoutedPath } from "./endpoint.js";
import {
  createSingleMessageStream,
  interceptStreamMethod,
  type MessageInit,
  requireFirstMessage,
  type StreamMethodSpec,
} from "./intercept-method.js";
import { createMessageReader } from "./read-message.js";
import type { MethodOptions } from "./registered-method.js";
import { rejectViolations } from "./reject-violations.js";
import { RpcContext } from "./rpc-context.js";
import { StreamBody, type StreamChunkWriter } from "./stream-body.js";
import { negotiateStreamFormat, type ServerSentEventFields, type StreamFormat } from "./stream-format.js";
import { checkTimeoutLimit, parseRequestTimeout } from "./timeout.js";
import { acceptsTrailers, createUnaryResponseWriter } from "./unary-response.js";
import { createUploadReader } from "./upload-messages.js";

/** Calls `start` to start an RPC, and returns the response with the RPC's messages. Rejects with the error of the RPC. */
type Responder = (
  start: () => Promise<AsyncIterable<MessageInit>>,
  context: RpcContext,
  request: HttpRequest,
  details: RoutedPath,
) => Promise<MutableResponse>;

/** Creates the endpoint for a streaming method. The method's handler gets the chunks of an upload while they arrive. */
export function createStreamEndpoint(
  rule: HttpRule,
  spec: StreamMethodSpec,
  options: MethodOptions,
  shared: EndpointOptions,
): Endpoint {
  const read = createInputReader(rule, spec, options, shared);
  const invoke = interceptStreamMethod(spec, options.interceptors);
  const respond =
    spec.kind === "client_streaming"
      ? createMessageResponder(rule, options, shared)
      : createStreamResponder(rule, shared);
  const { requestGate, maxTimeoutMs, shutdownSignal } = options;
  return async (request, details) => {
    const timeoutMs = parseRequestTimeout(request);
    checkTimeoutLimit(timeoutMs, maxTimeoutMs);
    const context = new RpcContext("transcoding", rule.rpc, request, timeoutMs, shutdownSignal);
    const start = async () => {
      if (requestGate !== undefined) await requestGate(context);
      const inputs = await read(request, context, details);
      context.throwIfEnded();
      return invoke(inputs, context);
    };
    try {
      return await respond(start, context, request, details);
    } catch (error) {
      context.finish();
      return shared.errors.encode(error, context);
    }
  };
}

/** Creates the reader for the messages of a request: one for each chunk of an upload, otherwise a single message. */
function createInputReader(
  rule: HttpRule,
  { kind }: StreamMethodSpec,
  { readMaxBytes }: MethodOptions,
  shared: EndpointOptions,
) {
  if (kind !== "server_streaming") return createUploadReader(rule, shared);
  const read = createMessageReader(rule, readMaxBytes, shared);
  return async (request: HttpRequest, context: RpcContext, details: RoutedPath) => {
    const decoded = await read(request, details);
    if (decoded.violations.length > 0) await rejectViolations(decoded, context, shared.validate);
    return createSingleMessageStream(decoded.message);
  };
}

function createMessageResponder(rule: HttpRule, { aroundDeadline }: MethodOptions, shared: EndpointOptions): Responder {
  const write = createUnaryResponseWriter(rule, shared);
  return async (start, context, request, details) => {
    const work = async () => create(rule.rpc.output, await requireFirstMessage(await start()));
    // Uses `race` even without a deadline, because the client may disconnect while the handler waits for a message.
    const message = await context.race(() => context.run(work, aroundDeadline));
    const response = write(message, context, request, details);
    context.finish();
    return response;
  };
}

/** Creates the responder for a method that returns a stream. The response begins when the first message or an error is available. */
function createStreamResponder(rule: HttpRule, shared: EndpointOptions): Responder {
  const createWriter = createWriterFactory(rule, shared);
  return async (start, context, request) => {
    const writer = createWriter(request);
    const body = await StreamBody.open(await context.race(start), context, writer);
    const headers = context.copyHeaders();
    headers["content-type"] = writer.contentType;
    if (writer.isNegotiated) appendHeader(headers, "vary", "accept");
    const trailers = acceptsTrailers(request) ? () => context.copyTrailers() : undefined;
    return { status: getSuccessStatus(rule), headers, body, trailers };
  };
}

function createWriterFactory(
  rule: HttpRule,
  { json, errors }: EndpointOptions,
): (request: HttpRequest) => StreamChunkWriter {
  const { output } = rule.rpc;
  const { encode, readRaw } = createResponseEncoder(output, rule.responseBody, json);
  if (readRaw !== undefined) return () => createRawWriter((init) => readRaw(create(output, init)));
  const readEventFields = createEventFieldsReader(rule, json);
  const write = (format: StreamFormat, init: MessageInit, first: boolean) => {
    const message = create(output, init);
    return format.message(encode(message), first, readEventFields?.(message));
  };
  return (request) => {
    const format = negotiateStreamFormat(request.header("accept"));
    return {
      isNegotiated: true,
      contentType: format.contentType,
      message: (init, first) => write(format, init, first),
      error: (error, context) => format.error(errors.encodeRecord(error, context)),
      end: format.end,
    };
  };
}

type EventFieldsReader = (message: Message) => ServerSentEventFields;

/** Creates the function that reads the id and the name of a server-sent event from its message. Undefined if the rule has no `event_stream`. */
function createEventFieldsReader(
  { rpc, response }: HttpRule,
  json: EndpointOptions["json"],
): EventFieldsReader | undefined {
  const option = response?.eventStream;
  if (option === undefined) return undefined;
  const createReader = (path: string) => (path === "" ? undefined : createFieldReader(rpc.output, path, json));
  const [readId, readName] = [createReader(option.id), createReader(option.name)];
  return (message) => {
    const name = readName?.(message);
    return { id: readId?.(message), name, isBookmark: readName !== undefined && name === undefined };
  };
}

/** Creates the writer for a stream of `google.api.HttpBody`. The first message determines the Content-Type. An error cuts off the body. */
function createRawWriter(read: (message: MessageInit) => RawBody): StreamChunkWriter {
  let contentType = "";
  return {
    isNegotiated: false,
    get contentType() {
      return contentType || "application/octet-stream";
    },
    message(message, first) {
      const raw = read(message);
      if (first) contentType = textToHeaderValue(raw.contentType);
      return raw.data;
    },
    error(error) {
      throw error;
    },
    end: () => "",
  };
}
