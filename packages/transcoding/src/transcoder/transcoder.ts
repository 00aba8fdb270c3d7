import type { DescMethod } from "@bufbuild/protobuf";
import { createOnFirstCall } from "../endpoints/create-on-first-call.js";
import type { Endpoint, EndpointOptions, RoutedPath } from "../endpoints/endpoint.js";
import { createErrorResponseEncoder } from "../endpoints/error-response.js";
import { createMessageReader } from "../endpoints/read-message.js";
import { collectRegisteredMethods, type RegisteredMethod } from "../endpoints/registered-method.js";
import { createStreamEndpoint } from "../endpoints/stream-endpoint.js";
import { parseRequestTimeout } from "../endpoints/timeout.js";
import { createUnaryEndpoint, type UnaryCodec } from "../endpoints/unary-endpoint.js";
import { createUnaryResponseWriter } from "../endpoints/unary-response.js";
import type { HttpHandler, HttpRoute } from "../http/http-handler.js";
import type { HttpRequest } from "../http/http-request.js";
import type { MutableHeaders, MutableResponse } from "../http/http-response.js";
import { RequestError } from "../http/request-error.js";
import { compressResponse } from "../responses/compress-response.js";
import { parseRequestTarget, type RequestTarget } from "../routing/request-target.js";
import { createRouter, type Route, type Router } from "../routing/router.js";
import type { HttpRule } from "../rules/http-rule.js";
import { addAliasRules } from "../rules/path-alias.js";
import { resolveHttpRules } from "../rules/read-http-rules.js";
import type { TranscoderOptions } from "./transcoder-options.js";

/** Serves services as JSON on the paths that their HTTP rules declare. */
export interface Transcoder extends HttpHandler {
  /** Why bindings are not served, or are served without a query parameter. Empty unless the option `unsupported` is `skip`. */
  readonly skipped: readonly string[];
  route(request: Pick<HttpRequest, "method" | "target">): HttpRoute;
}

/**
 * Creates the transcoder for the services that `options.routes` registers. Reads and checks all HTTP rules. Throws an Error that lists the rules that
 * conflict with each other or do not match their messages.
 */
export function createTranscoder(options: TranscoderOptions): Transcoder {
  const basePath = requireBasePath(options.basePath ?? "");
  const errors = createErrorResponseEncoder(options.errors ?? {}, options.onError, options.json);
  const shared = { basePath, json: options.json ?? {}, validate: options.validate, errors };
  const { routes, skipped } = createRuleRoutes(options, shared);
  const router = createRouter(routes, options);
  const compress = options.compression ?? true;
  const createRoute = ({ rpc, isMatched, respond }: Responder): HttpRoute => ({
    rpc,
    isMatched,
    async handle(request) {
      let response: MutableResponse;
      try {
        response = await respond(request);
      } catch (error) {
        response = errors.encode(error, undefined);
      }
      return compress ? compressResponse(request, response) : response;
    },
  });
  return { skipped, route: ({ method, target }) => createRoute(findResponder(method, target, basePath, router)) };
}

function requireBasePath(basePath: string): string {
  if (basePath !== "" && !/^(?:\/[^/?#\s]+)+$/.test(basePath)) {
    throw new Error(`basePath must begin with a slash and not end with one, such as /api, but is "${basePath}"`);
  }
  return basePath;
}

/** A route whose `respond` throws or rejects with errors, unlike `handle` of an HttpRoute. */
interface Responder extends Pick<HttpRoute, "rpc" | "isMatched"> {
  respond(request: HttpRequest): MutableResponse | Promise<MutableResponse>;
}

function findResponder(method: string, target: string, basePath: string, router: Router<RuleEndpoint>): Responder {
  try {
    if (target === "*" && method === "OPTIONS") return answerWith(() => noContent({}));
    return matchTarget(method, parseRequestTarget(target), basePath, router);
  } catch (error) {
    return failWith(error);
  }
}

function matchTarget(method: string, target: RequestTarget, basePath: string, router: Router<RuleEndpoint>): Responder {
  const match = router.route(method, withoutBasePath(target.path, basePath));
  switch (match.kind) {
    case "found": {
      const { values } = match;
      const { rpc, endpoint } = match.route.value;
      return { rpc, isMatched: true, respond: (request) => endpoint(request, { target, values }) };
    }
    case "not_found": {
      const error = new RequestError(
        "ROUTE_NOT_FOUND",
        "no route matches this path: check its spelling, including upper and lower case",
      );
      return { ...failWith(error), isMatched: false };
    }
    case "malformed":
      return failWith(new RequestError("PATH_MALFORMED", match.message));
    case "method_not_allowed": {
      const allow = match.allow.join(", ");
      if (method === "OPTIONS") return answerWith(() => noContent({ allow }));
      const message = `${method} is not allowed at this path: use ${allow}`;
      return failWith(new RequestError("METHOD_NOT_ALLOWED", message, { headers: { allow } }));
    }
  }
}

function answerWith(respond: () => MutableResponse): Responder {
  return { rpc: undefined, isMatched: true, respond };
}

function failWith(error: unknown): Responder {
  return answerWith(() => {
    throw error;
  });
}

/** Removes the base path from a path. If the path does not begin with the base path, returns an empty text, which no template matches. */
function withoutBasePath(path: string, basePath: string): string {
  return path.startsWith(basePath) ? path.slice(basePath.length) : "";
}

function noContent(headers: MutableHeaders): MutableResponse {
  return { status: 204, headers, body: undefined, trailers: undefined };
}

/** Creates the routes for the HTTP rules of all methods that `options.routes` registers. Throws an `HttpRuleError` for invalid rules. */
function createRuleRoutes(options: TranscoderOptions, shared: EndpointOptions) {
  const methods = collectRegisteredMethods(options);
  const services = new Set(Array.from(methods.keys(), (method) => method.parent));
  const { rules, skipped } = resolveHttpRules(services, options);
  const routes = addAliasRules(rules, options.pathAliases ?? {}).flatMap((rule) => {
    const recorded = methods.get(rule.rpc);
    return recorded === undefined ? [] : [createRuleRoute(rule, recorded, shared)];
  });
  return { routes, skipped };
}

interface RuleEndpoint {
  readonly rpc: DescMethod;
  readonly endpoint: Endpoint;
}

function createRuleRoute(rule: HttpRule, recorded: RegisteredMethod, shared: EndpointOptions): Route<RuleEndpoint> {
  const { method, template, rpc } = rule;
  return {
    method,
    template,
    value: { rpc, endpoint: createOnFirstCall(() => createEndpoint(rule, recorded, shared)) },
  };
}

function createEndpoint(rule: HttpRule, { spec, options }: RegisteredMethod, shared: EndpointOptions): Endpoint {
  if (spec.kind !== "unary") return createStreamEndpoint(rule, spec, options, shared);
  const codec: UnaryCodec<RoutedPath, MutableResponse> = {
    protocolName: "transcoding",
    readTimeout: parseRequestTimeout,
    read: createMessageReader(rule, options.readMaxBytes, shared),
    write: createUnaryResponseWriter(rule, shared),
    fail: (error, context) => shared.errors.encode(error, context),
  };
  return createUnaryEndpoint(spec, options, codec, shared.validate);
}
