import type { DescMethod } from "@bufbuild/protobuf";
import { API } from "@calltrack/domain";
import { runTraced } from "@calltrack/postgres";
import { printPathTemplate, readHttpRules } from "@calltrack/transcoding";
import { Code } from "@connectrpc/connect";
import {
  type Attributes,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { type Outcome, outcomeName } from "../requests/outcome.js";
import { protocolOf } from "../requests/request-protocol.js";
import type { RequestRecord } from "../requests/request-record.js";
import type { StatementTracer } from "./statement-tracer.js";
import type { Tracing } from "./tracing.js";

/** What OpenTelemetry calls the protocols of procedure calls. */
const RPC_SYSTEMS = { grpc: "grpc", "grpc-web": "grpc", connect: "connectrpc" } as const;

/** The outcomes that are the server's fault, as the conventions have it; a caller's fault is none of the span's. */
const SERVER_ERRORS: ReadonlySet<Outcome> = new Set([
  Code.Unknown,
  Code.DeadlineExceeded,
  Code.Unimplemented,
  Code.Internal,
  Code.Unavailable,
  Code.DataLoss,
]);

/** Methods of HTTP; all others are one (https://opentelemetry.io/docs/specs/semconv/http/http-spans/#name). */
const HTTP_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/**
 * Creates what traces requests: a span of the server for each, within the trace that its caller has begun, if any (W3C Trace
 * Context). The paths of requests are in none, as clients put into them whatever they like: the route is.
 *
 * See https://opentelemetry.io/docs/specs/semconv/rpc/ and https://opentelemetry.io/docs/specs/semconv/http/
 */
export function createRequestTracer(
  tracer: Tracer,
  basePath: string,
  traceStatements: StatementTracer,
): Pick<Tracing, "serve" | "end"> {
  const propagator = new W3CTraceContextPropagator();
  const routes = readRoutes(basePath);
  return {
    serve(record, serve) {
      const parent = propagator.extract(ROOT_CONTEXT, record.headers, defaultTextMapGetter);
      record.span = tracer.startSpan("request", { kind: SpanKind.SERVER }, parent);
      return runTraced(traceStatements(record.span), serve);
    },
    end(record, outcome, status) {
      const { span } = record;
      if (span === undefined || !span.isRecording()) return;
      const isError = status === undefined ? SERVER_ERRORS.has(outcome) : status >= 500 || SERVER_ERRORS.has(outcome);
      const { name, attributes } = describe(record, outcome, status);
      span.updateName(name);
      span.setAttributes(attributes);
      span.setAttribute("calltrack.request_id", record.id);
      if (isError) span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute("error.type", outcomeName(outcome));
      span.end();
    },
  };

  function describe(record: RequestRecord, outcome: Outcome, status: number | undefined) {
    const protocol = protocolOf(record);
    const method = record.call?.method;
    const http = status === undefined ? {} : { "http.response.status_code": status };
    if (protocol === "json") {
      const verb = HTTP_METHODS.has(record.exchange.method) ? record.exchange.method : "_OTHER";
      const route = method && routes.get(method)?.get(verb);
      const attributes: Attributes = {
        ...http,
        "http.request.method": verb,
        "url.scheme": record.exchange.peer.isEncrypted ? "https" : "http",
      };
      if (route !== undefined) attributes["http.route"] = route;
      return { name: route === undefined ? verb : `${verb} ${route}`, attributes };
    }
    const name = method === undefined ? protocol : `${method.parent.typeName}/${method.name}`;
    const attributes: Attributes = {
      ...http,
      "rpc.system.name": RPC_SYSTEMS[protocol],
      "rpc.status_code": outcomeName(outcome),
    };
    if (method !== undefined) attributes["rpc.method"] = name;
    return { name, attributes };
  }
}

/** The path of each method that has one, by the method of HTTP; of several the first, which all others are aliases of. */
function readRoutes(basePath: string): ReadonlyMap<DescMethod, ReadonlyMap<string, string>> {
  const routes = new Map<DescMethod, Map<string, string>>();
  for (const { rpc, method, template } of readHttpRules(API)) {
    const byVerb = routes.get(rpc) ?? new Map<string, string>();
    if (!byVerb.has(method)) byVerb.set(method, basePath + printPathTemplate(template));
    routes.set(rpc, byVerb);
  }
  return routes;
}
