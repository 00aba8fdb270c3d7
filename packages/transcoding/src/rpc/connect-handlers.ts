import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouterOptions, createConnectRouter } from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { MAX_TIMER_MS } from "../calls/call-context.js";
import type { RecordedMethod } from "../calls/recorded-method.js";
import { createRequestHeader } from "../calls/request-header.js";
import { findGrpcTimeout } from "../calls/timeout.js";
import { createDisconnectError } from "../http/body-errors.js";
import type { ContentCoding } from "../http/content-coding.js";
import type { HttpRequest } from "../http/http-request.js";
import type { HttpResponse } from "../http/http-response.js";
import { RequestError } from "../http/request-error.js";
import { type FailureReader, failureToConnectError } from "../responses/failure.js";
import { createWeakCache } from "../values/weak-cache.js";
import { readBoundedBody } from "./bounded-body.js";
import { createCompressions } from "./compressions.js";
import { readConnectResponse } from "./connect-response.js";
import { createErrorForms } from "./error-forms.js";
import { correctErrors, createFailureCorrections } from "./failure-corrections.js";
import type { RpcOptions } from "./rpc-options.js";

/** Handles the calls of one method. Never rejects. */
export type RpcEndpoint = (request: HttpRequest) => Promise<HttpResponse>;

const GRPC = /^application\/grpc(?:$|[+;])/;
/** The error for requests that Connect's handlers fail to answer. */
const INTERNAL = new ConnectError("internal error", Code.Internal);

/** Creates endpoints that use Connect's own handlers, with all their protocols. */
export function createConnectHandlers(
  methods: ReadonlyMap<DescMethod, RecordedMethod>,
  readFailure: FailureReader,
  options: RpcOptions,
): (recorded: RecordedMethod) => RpcEndpoint {
  const domain = options.errorDomain ?? "";
  const internal = createErrorForms(INTERNAL, domain);
  // Content codings come with the requests, because they depend on the server.
  const handlersOf = createWeakCache((codings: readonly ContentCoding[]) =>
    createHandlers(methods, codings, readFailure, options),
  );
  return ({ spec: { method }, options: { readMaxBytes } }) => {
    // Connect's handlers answer only a ConnectError.
    const correct = (error: unknown) =>
      error instanceof RequestError ? failureToConnectError(readFailure(error, undefined)) : error;
    return async (request) => {
      const contentType = request.header("content-type");
      const controller = new AbortController();
      request.onGone(() => controller.abort(createDisconnectError()));
      const report = (error: unknown) => {
        if (!controller.signal.aborted) options.onError?.(error, method);
      };
      try {
        const handler = handlersOf(request.codings).get(method) as UniversalHandler;
        const response = await handler({
          httpVersion: request.httpVersion,
          method: request.method,
          url: readUrl(request),
          header: withoutLongTimeouts(createRequestHeader(request)),
          body: correctErrors(readBoundedBody(request, readMaxBytes, options.onBodyTaken), correct),
          signal: controller.signal,
          ...(request.contextValues && { contextValues: request.contextValues }),
        });
        return await readConnectResponse(response, GRPC.test(contentType ?? ""), report);
      } catch (error) {
        if (error instanceof RequestError) return createErrorForms(error, domain).forProcedure(contentType);
        report(error);
        return internal.forProcedure(contentType);
      }
    };
  };
}

function createHandlers(
  methods: ReadonlyMap<DescMethod, RecordedMethod>,
  codings: readonly ContentCoding[],
  readFailure: FailureReader,
  { onOutcome, ...options }: RpcOptions,
): ReadonlyMap<DescMethod, UniversalHandler> {
  const router = createConnectRouter({
    acceptCompression: createCompressions(codings, readFailure),
    jsonOptions: readJsonOptions(options.json ?? {}),
  });
  for (const recorded of methods.values()) {
    const { spec, registration } = recorded;
    const { interceptors, readMaxBytes, maxTimeoutMs, shutdownSignal } = recorded.options;
    const { interceptor, requestGate } = createFailureCorrections(recorded, readFailure, onOutcome);
    router.rpc(spec.method, spec.impl as never, {
      ...registration,
      readMaxBytes,
      requestGate,
      interceptors: [interceptor, ...interceptors],
      ...(Number.isFinite(maxTimeoutMs) && { maxTimeoutMs }),
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

/** Creates the URL that Connect's handlers need, from the origin and target. */
function readUrl({ origin, target }: HttpRequest): string {
  try {
    return new URL(target, origin).href;
  } catch {
    throw new RequestError("HEADER_MALFORMED", "the Host header must be a host with an optional port");
  }
}

/** Removes timeouts that are too long for Connect, which starts a timer for each. */
function withoutLongTimeouts(header: Headers): Headers {
  if (Number(findGrpcTimeout(header.get("grpc-timeout") ?? "")) > MAX_TIMER_MS) header.delete("grpc-timeout");
  if (Number(/^\d{1,10}$/.exec(header.get("connect-timeout-ms") ?? "")?.[0]) > MAX_TIMER_MS) {
    header.delete("connect-timeout-ms");
  }
  return header;
}
