import type { Endpoint, EndpointOptions, PathDetails } from "../endpoints/endpoint.js";
import { createErrorEncoder } from "../endpoints/error-response.js";
import { createMessageReader } from "../endpoints/read-message.js";
import { type RecordedMethod, recordMethods } from "../endpoints/recorded-method.js";
import { createStreamEndpoint } from "../endpoints/stream-endpoint.js";
import { parseTimeout } from "../endpoints/timeout.js";
import { createUnaryEndpoint, type UnaryCodec } from "../endpoints/unary-endpoint.js";
import { createResponseWriter } from "../endpoints/unary-response.js";
import type { HttpHandler } from "../http/http-handler.js";
import type { HttpRequest } from "../http/http-request.js";
import type { HttpResponse, MutableHeaders, MutableResponse } from "../http/http-response.js";
import { RequestError } from "../http/request-error.js";
import { compressResponse } from "../responses/compress-response.js";
import { parseRequestTarget } from "../routing/request-target.js";
import { createRouter, type Route, type Router } from "../routing/router.js";
import type { HttpRule } from "../rules/http-rule.js";
import { addAliasRules } from "../rules/path-alias.js";
import { resolveHttpRules } from "../rules/read-http-rules.js";
import type { TranscoderOptions } from "./transcoder-options.js";

/** Serves the paths that the `google.api.http` rules of services declare. */
export interface Transcoder extends HttpHandler {
  /** The reasons why bindings, or fields in their queries, are not served; empty unless the option `unsupported` is `skip`. */
  readonly skipped: readonly string[];
  /** Handles a request. Never rejects: every failure is a response. */
  handle(request: HttpRequest): Promise<HttpResponse>;
}

/**
 * Creates the transcoder of the services that `options.routes` registers. Reads and checks all rules. Throws an Error that names
 * the RPCs whose rules conflict with each other or with their messages.
 */
export function createTranscoder(options: TranscoderOptions): Transcoder {
  const basePath = requireBasePath(options.basePath ?? "");
  const errors = createErrorEncoder(options.errors ?? {}, options.onError, options.json);
  const shared = { basePath, json: options.json ?? {}, validate: options.validate, errors };
  const { routes, skipped } = createRuleRoutes(options, shared);
  const router = createRouter(routes, options);
  const compress = options.compression ?? true;
  return {
    skipped,
    async handle(request) {
      let response: MutableResponse;
      try {
        response = await respond(request, basePath, router);
      } catch (error) {
        response = errors.encode(error, undefined);
      }
      return compress ? compressResponse(request, response) : response;
    },
  };
}

function requireBasePath(basePath: string): string {
  if (basePath !== "" && !/^(?:\/[^/?#\s]+)+$/.test(basePath)) {
    throw new Error(`basePath "${basePath}": start it with a slash and end it without one, as in /api`);
  }
  return basePath;
}

function respond(
  request: HttpRequest,
  basePath: string,
  router: Router<Endpoint>,
): MutableResponse | Promise<MutableResponse> {
  if (request.target === "*" && request.method === "OPTIONS") return noContent({});
  const target = parseRequestTarget(request.target);
  const match = router.route(request.method, withoutBasePath(target.path, basePath));
  switch (match.kind) {
    case "found":
      return match.route.value(request, { target, values: match.values });
    case "not_found":
      throw new RequestError("ROUTE_NOT_FOUND", "no route matches this path: check the path and its case");
    case "malformed":
      throw new RequestError("PATH_MALFORMED", match.message);
    case "method_not_allowed": {
      const allow = match.allow.join(", ");
      if (request.method === "OPTIONS") return noContent({ allow });
      const message = `${request.method} is not allowed at this path: use ${allow}`;
      throw new RequestError("METHOD_NOT_ALLOWED", message, { headers: { allow } });
    }
  }
}

/** Removes the base path. Returns an empty path, which matches no template, if the path does not begin with it. */
function withoutBasePath(path: string, basePath: string): string {
  return path.startsWith(basePath) ? path.slice(basePath.length) : "";
}

function noContent(headers: MutableHeaders): MutableResponse {
  return { status: 204, headers, body: undefined, trailers: undefined, matched: true };
}

/**
 * Creates the routes of all rules whose methods `options.routes` registers; see `ResolvedRules` for `skipped`. Throws an
 * `HttpRuleError` for invalid rules.
 */
function createRuleRoutes(options: TranscoderOptions, shared: EndpointOptions) {
  const methods = recordMethods(options);
  const services = new Set(Array.from(methods.keys(), (method) => method.parent));
  const { rules, skipped } = resolveHttpRules(services, options);
  const routes = addAliasRules(rules, options.pathAliases ?? {}).flatMap((rule) => {
    const recorded = methods.get(rule.rpc);
    return recorded === undefined ? [] : [createRuleRoute(rule, recorded, shared)];
  });
  return { routes, skipped };
}

function createRuleRoute(rule: HttpRule, { spec, options }: RecordedMethod, shared: EndpointOptions): Route<Endpoint> {
  const { method, template } = rule;
  if (spec.kind !== "unary") return { method, template, value: createStreamEndpoint(rule, spec, options, shared) };
  const codec: UnaryCodec<PathDetails, MutableResponse> = {
    protocolName: "transcoding",
    readTimeout: parseTimeout,
    read: createMessageReader(rule, options.readMaxBytes, shared),
    write: createResponseWriter(rule, shared),
    fail: (error, context) => shared.errors.encode(error, context),
  };
  const value = createUnaryEndpoint(spec, options, codec, shared.validate);
  return { method, template, value };
}
