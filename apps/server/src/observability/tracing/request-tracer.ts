import type { DescMethod } from "@bufbuild/protobuf";
import { API_SERVICES } from "@calltrack/domain";
import { runTraced } from "@calltrack/postgres";
import { formatPathTemplate, readHttpRules } from "@calltrack/transcoding";
import type { NodeRequest } from "@calltrack/transcoding/node";
import {
  type Attributes,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type Tracer,
} from "@opentelemetry/api";
import type { RequestState } from "../requests/request-state.js";
import type { StatementTracer } from "./statement-tracer.js";

export interface RequestTracer {
  /** Starts the span of a request and calls `serve`. The SQL statements that `serve` executes become child spans. */
  serve<T>(state: RequestState, serve: () => T): T;
  /**
   * Ends the span of a request. `code` is the result as a name in google/rpc/code.proto, such as `OK`. `status` is the HTTP status; undefined
   * if the response was aborted or the client disconnected.
   */
  end(state: RequestState, code: string, status: number | undefined): void;
  /** Exports the spans that have not been exported yet. */
  close(): Promise<void>;
}

/** OpenTelemetry's names for RPC protocols: the values of `rpc.system.name`. */
const RPC_SYSTEMS = { grpc: "grpc", "grpc-web": "grpc", connect: "connectrpc" } as const;

/**
 * The codes that mark a span as failed. By OpenTelemetry's semantic conventions, an error that the client caused does not mark the server's span as
 * failed.
 */
const SERVER_ERRORS: ReadonlySet<string> = new Set([
  "UNKNOWN",
  "DEADLINE_EXCEEDED",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
]);

/** The HTTP methods that spans name; other methods become `_OTHER` (https://opentelemetry.io/docs/specs/semconv/http/http-spans/#name). */
const HTTP_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const HEADERS: TextMapGetter<NodeRequest> = {
  get: (request, name) => request.header(name),
  keys: (request) => Array.from(request.headerEntries(), ([name]) => name),
};

/**
 * Creates a tracer for requests. Each request gets a server span. The span belongs to the client's trace if the request has trace headers in a format
 * of OTEL_PROPAGATORS, by default W3C Trace Context. Spans contain the route instead of the path, because the path may contain personal data.
 *
 * See https://opentelemetry.io/docs/specs/semconv/rpc/ and https://opentelemetry.io/docs/specs/semconv/http/
 */
export function createRequestTracer(
  tracer: Tracer,
  basePath: string,
  traceStatements: StatementTracer,
): Pick<RequestTracer, "serve" | "end"> {
  const routes = readRoutes(basePath);
  return {
    serve(state, serve) {
      const parent = propagation.extract(ROOT_CONTEXT, state.request, HEADERS);
      state.span = tracer.startSpan("request", { kind: SpanKind.SERVER }, parent);
      return runTraced(traceStatements(state.span), serve);
    },
    end(state, code, status) {
      const { span } = state;
      if (span === undefined || !span.isRecording()) return;
      const isError = status === undefined ? SERVER_ERRORS.has(code) : status >= 500 || SERVER_ERRORS.has(code);
      const { name, attributes } = describe(state, code);
      span.updateName(name);
      span.setAttributes({ ...attributes, "http.response.status_code": status, "calltrack.request_id": state.id });
      if (isError) span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute("error.type", code);
      span.end();
    },
  };

  function describe(state: RequestState, code: string) {
    const { protocol } = state;
    const method = state.rpc?.method;
    if (protocol === "json") {
      const verb = HTTP_METHODS.has(state.request.method) ? state.request.method : "_OTHER";
      const route = method && routes.get(method)?.get(verb);
      const scheme = state.request.peer.isEncrypted ? "https" : "http";
      const attributes: Attributes = { "http.request.method": verb, "http.route": route, "url.scheme": scheme };
      return { name: route === undefined ? verb : `${verb} ${route}`, attributes };
    }
    const name = method === undefined ? protocol : `${method.parent.typeName}/${method.name}`;
    const system = RPC_SYSTEMS[protocol];
    const attributes: Attributes = { "rpc.system.name": system, "rpc.status_code": code, "rpc.method": method && name };
    return { name, attributes };
  }
}

/**
 * Returns the JSON routes of each RPC method, keyed by the HTTP method. If an HTTP method has several routes, returns only the first, because the
 * others are aliases.
 */
function readRoutes(basePath: string): ReadonlyMap<DescMethod, ReadonlyMap<string, string>> {
  const routes = new Map<DescMethod, Map<string, string>>();
  for (const { rpc, method, template } of readHttpRules(API_SERVICES)) {
    const byVerb = routes.get(rpc) ?? new Map<string, string>();
    if (!byVerb.has(method)) byVerb.set(method, basePath + formatPathTemplate(template));
    routes.set(rpc, byVerb);
  }
  return routes;
}
