import type { DescMethod } from "@bufbuild/protobuf";
import {
  type Code,
  type ConnectRouterOptions,
  type ContextValues,
  createConnectRouter,
  createContextValues,
} from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { endStreamFlag, endStreamFromJson } from "@connectrpc/connect/protocol-connect";
import { findTrailerError } from "@connectrpc/connect/protocol-grpc";
import { trailerFlag, trailerParse } from "@connectrpc/connect/protocol-grpc-web";
import type { RegisteredMethod } from "../endpoints/registered-method.js";
import { requireNoViolations } from "../endpoints/reject-violations.js";
import { createRequestHeader } from "../endpoints/request-header.js";
import { MAX_TIMER_MS } from "../endpoints/rpc-context.js";
import { checkTimeoutLimit, parseConnectTimeout, parseGrpcTimeout } from "../endpoints/timeout.js";
import { createDisconnectError } from "../http/body-errors.js";
import { type ContentCoding, formatCodingList, requireContentCodings } from "../http/content-coding.js";
import type { HttpRequest } from "../http/http-request.js";
import type { HttpHeaders, HttpResponse, MutableHeaders } from "../http/http-response.js";
import { appendHeaders, textToHeaderValue } from "../http/response-headers.js";
import type { FailureConverter } from "../responses/failure.js";
import { getRequestUrl } from "../routing/request-target.js";
import { ENVELOPE_PREFIX_BYTES } from "./envelope.js";
import { createFailureResponse } from "./failure-response.js";
import { createMessageFormats, type MessageFormat } from "./message-format.js";
import type { ProcedureEndpoint } from "./procedure.js";
import { readRequestFrames } from "./request-frames.js";
import { createConnectErrorConverter, createFailureInterceptor, toReportedCode } from "./rpc-failures.js";
import type { RpcOptions } from "./rpc-options.js";

/**
 * Creates the function that returns the endpoint for the streaming and gRPC-Web requests of a method. The endpoints use Connect's own handlers and
 * never reject.
 */
export function createConnectEndpointFactory(
  methods: ReadonlyMap<DescMethod, RegisteredMethod>,
  readFailure: FailureConverter,
  options: RpcOptions,
): (recorded: RegisteredMethod) => ProcedureEndpoint {
  // The signal of each RPC, which the request gate stores. When the signal aborts, the server stops reading the body.
  const signals = new WeakMap<ContextValues, AbortSignal>();
  const handlers = createHandlers(methods, readFailure, options, signals);
  return ({ spec: { method }, options: { readMaxBytes, maxTimeoutMs } }) => {
    const handler = handlers.get(method) as UniversalHandler;
    const convert = createConnectErrorConverter(method, readFailure);
    const formats = createMessageFormats(method, options.json);
    const readBody = async function* (
      request: HttpRequest,
      codings: readonly ContentCoding[],
      values: ContextValues,
      format: MessageFormat,
      onError: (error: unknown) => void,
    ): AsyncIterable<Uint8Array> {
      const signal = signals.get(values);
      // Without this check, Connect's decoder would reject a malformed message with INTERNAL, and quote names and values from the request.
      const check = (message: Uint8Array) => requireNoViolations(format.decode(message));
      try {
        yield* readRequestFrames(request, readMaxBytes, codings, signal, check, options.onBodyTaken);
      } catch (error) {
        onError(error);
        throw convert(error, values, signal);
      }
    };
    return async (request, mediaType) => {
      const values = request.contextValues ?? createContextValues();
      let bodyError: unknown;
      const report = (code: Code | undefined) => options.onOutcome?.(values, code && toReportedCode(code, bodyError));
      try {
        const { header, codings } = readHeader(request, mediaType, maxTimeoutMs);
        const response = await handler({
          httpVersion: request.httpVersion,
          method: request.method,
          url: getRequestUrl(request),
          header,
          body: readBody(
            request,
            codings,
            values,
            mediaType.endsWith("json") ? formats.json : formats.proto,
            (error) => {
              bodyError = error;
            },
          ),
          signal: createGoneSignal(request),
          contextValues: values,
        });
        return readResponse(response, acceptHeaderOf(mediaType), request.codings, report);
      } catch (error) {
        const failure = readFailure(error, undefined);
        report(failure.code);
        return createFailureResponse(failure, mediaType, request.codings);
      }
    };
  };
}

function createHandlers(
  methods: ReadonlyMap<DescMethod, RegisteredMethod>,
  readFailure: FailureConverter,
  { json = {} }: RpcOptions,
  signals: WeakMap<ContextValues, AbortSignal>,
): ReadonlyMap<DescMethod, UniversalHandler> {
  const router = createConnectRouter({ jsonOptions: readJsonOptions(json) });
  for (const { spec, options, registration } of methods.values()) {
    const { interceptors, requestGate, shutdownSignal } = options;
    const convert = createConnectErrorConverter(spec.method, readFailure);
    router.rpc(spec.method, spec.impl as never, {
      ...registration,
      acceptCompression: [],
      interceptors: [createFailureInterceptor(options, convert), ...interceptors],
      async requestGate(context) {
        signals.set(context.values, context.signal);
        try {
          await requestGate?.(context);
        } catch (error) {
          throw convert(error, context.values, context.signal);
        }
      },
      ...(shutdownSignal && { shutdownSignal }),
    });
  }
  return new Map(router.handlers.map((handler) => [handler.method, handler]));
}

function readJsonOptions(json: NonNullable<RpcOptions["json"]>): NonNullable<ConnectRouterOptions["jsonOptions"]> {
  return {
    ignoreUnknownFields: json.unknownFields === "ignore",
    useProtoFieldName: json.fieldNames === "proto",
    enumAsInteger: json.enums === "number",
    ...(json.registry && { registry: json.registry }),
  };
}

/**
 * Returns the content codings of the request's messages, and the headers to pass to Connect's handlers, which get decompressed messages. Throws a
 * `RequestError` for an unsupported coding or a malformed timeout.
 */
function readHeader(request: HttpRequest, mediaType: string, maxTimeoutMs: number) {
  const isConnect = mediaType.startsWith("application/connect+");
  const codingName = isConnect ? "connect-content-encoding" : "grpc-encoding";
  const codings = requireContentCodings(request.header(codingName), request.codings, acceptHeaderOf(mediaType));
  const timeoutName = isConnect ? "connect-timeout-ms" : "grpc-timeout";
  const timeoutMs = (isConnect ? parseConnectTimeout : parseGrpcTimeout)(request.header(timeoutName));
  checkTimeoutLimit(timeoutMs, maxTimeoutMs);
  const header = createRequestHeader(request);
  header.set("content-type", mediaType);
  header.delete(codingName);
  // Connect starts a timer for the timeout. A timer that is too long for Node.js would fire at once.
  if (timeoutMs !== undefined && timeoutMs > MAX_TIMER_MS) header.delete(timeoutName);
  return { header, codings };
}

/** Returns the name of the response header that lists the accepted encodings. The header from Connect's own handlers lists none. */
function acceptHeaderOf(mediaType: string): string {
  return mediaType.startsWith("application/connect+") ? "connect-accept-encoding" : "grpc-accept-encoding";
}

function createGoneSignal(request: HttpRequest): AbortSignal {
  const controller = new AbortController();
  request.onGone(() => controller.abort(createDisconnectError()));
  return controller.signal;
}

function readResponse(
  { status, header, body, trailer }: UniversalServerResponse,
  acceptHeader: string,
  codings: readonly ContentCoding[],
  report: (code: Code | undefined) => void,
): HttpResponse {
  return {
    status,
    headers: { ...readHeaders(header), [acceptHeader]: formatCodingList(codings) },
    body: trailer === undefined ? body && reportOutcome(body, report) : body,
    trailers:
      trailer &&
      (() => {
        report(findTrailerError(trailer)?.code);
        return readTrailers(trailer);
      }),
  };
}

function readHeaders(header: Headers | undefined): HttpHeaders {
  const headers: MutableHeaders = {};
  appendHeaders(headers, header ?? []);
  return headers;
}

/** Matches escapes of visible ASCII other than the percent sign. Connect writes such escapes, but grpc-js does not decode all of them. */
const NEEDLESS_ESCAPE = /%(?!25|7F)[2-7][0-9A-F]/g;

function readTrailers(trailer: Headers): HttpHeaders {
  const message = trailer.get("grpc-message")?.replace(NEEDLESS_ESCAPE, decodeURIComponent);
  return { ...readHeaders(trailer), ...(message && { "grpc-message": textToHeaderValue(message) }) };
}

/** Passes on the frames of a response. Before the last frame, calls `report` with the RPC's error code, or with undefined for success. */
async function* reportOutcome(
  frames: AsyncIterable<Uint8Array>,
  report: (code: Code | undefined) => void,
): AsyncIterable<Uint8Array> {
  for await (const frame of frames) {
    const message = frame.subarray(ENVELOPE_PREFIX_BYTES);
    if (frame[0] === trailerFlag) report(findTrailerError(trailerParse(message))?.code);
    if (frame[0] === endStreamFlag) report(endStreamFromJson(message).error?.code);
    yield frame;
  }
}
