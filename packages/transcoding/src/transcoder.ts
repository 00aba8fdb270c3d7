import type { RuleEndpoint } from "./calls/endpoint.js";
import { createRuleRoutes } from "./calls/rule-route.js";
import { compressResponse } from "./responses/compress-response.js";
import { type Cors, createCors } from "./responses/cors.js";
import { createErrorEncoder } from "./responses/error-response.js";
import { RequestError } from "./responses/request-error.js";
import { overrideMethod } from "./routing/method-override.js";
import { parseRequestTarget, type RequestTarget } from "./routing/request-target.js";
import { createRouter, type Router } from "./routing/router.js";
import type { TranscoderOptions } from "./transcoder-options.js";
import type { TranscoderRequest } from "./transcoder-request.js";
import type { ResponseHeaders, TranscoderResponse } from "./transcoder-response.js";

/** Serves the paths that the `google.api.http` rules of services declare. */
export interface Transcoder {
  /** Why bindings, or fields in their queries, are not served; empty unless the option `unsupported` is `skip`. */
  readonly skipped: readonly string[];
  /** Answers a request. Never rejects: every failure is a response. */
  handle(request: TranscoderRequest): Promise<TranscoderResponse>;
  /** Answers a request that leads to a unary method, in one piece; undefined, and nothing is done, for any other. Never rejects. */
  handleUnary(request: TranscoderRequest): Promise<TranscoderResponse> | undefined;
}

/**
 * Creates the transcoder of the services that `options.routes` registers. All rules are read and checked here: throws an
 * Error that names the RPCs concerned where they contradict each other or their messages.
 */
export function createTranscoder(options: TranscoderOptions): Transcoder {
  const basePath = requireBasePath(options.basePath ?? "");
  const errors = createErrorEncoder(options.errors ?? {}, options.onError, options.json);
  const shared = { basePath, json: options.json ?? {}, validate: options.validate, errors };
  const { routes, skipped } = createRuleRoutes(options, shared);
  const router = createRouter(routes, options);
  const cors = options.cors === undefined ? undefined : createCors(options.cors);
  const compress = options.compression ?? true;
  const answer = async (
    request: TranscoderRequest,
    respond: () => TranscoderResponse | Promise<TranscoderResponse>,
  ): Promise<TranscoderResponse> => {
    let response: TranscoderResponse;
    try {
      response = await respond();
    } catch (error) {
      response = errors.encode(error);
    }
    cors?.addHeaders(request, response.headers);
    return compress ? compressResponse(request, response) : response;
  };
  const isOverridable = options.methodOverride === true;
  const serving: Serving = { basePath, router, cors, isOverridable };
  return {
    skipped,
    handle: (request) => answer(request, () => respond(isOverridable ? overrideMethod(request) : request, serving)),
    handleUnary(original) {
      const request = isOverridable ? findOverride(original) : original;
      const target = readTarget(original.target);
      if (request === undefined || target === undefined) return undefined;
      const match = router.route(request.method, withoutBasePath(target.path, basePath));
      if (match.kind !== "found" || !match.route.value.isUnary) return undefined;
      return answer(request, () => match.route.value.answer(request, target, match.values));
    },
  };
}

interface Serving {
  readonly basePath: string;
  readonly router: Router<RuleEndpoint>;
  readonly cors: Cors | undefined;
  /** Whether a POST can stand for another method. */
  readonly isOverridable: boolean;
}

/** Undefined for a target that is malformed. */
function readTarget(text: string): RequestTarget | undefined {
  try {
    return parseRequestTarget(text);
  } catch {
    return undefined;
  }
}

/** Undefined for an override that is refused. */
function findOverride(request: TranscoderRequest): TranscoderRequest | undefined {
  try {
    return overrideMethod(request);
  } catch {
    return undefined;
  }
}

function requireBasePath(basePath: string): string {
  if (basePath !== "" && !/^(?:\/[^/?#\s]+)+$/.test(basePath)) {
    throw new Error(`basePath "${basePath}": start it with a slash and end it without one, as in /api`);
  }
  return basePath;
}

function respond(request: TranscoderRequest, serving: Serving): TranscoderResponse | Promise<TranscoderResponse> {
  if (request.target === "*" && request.method === "OPTIONS") return noContent({});
  const target = parseRequestTarget(request.target);
  const match = serving.router.route(request.method, withoutBasePath(target.path, serving.basePath));
  switch (match.kind) {
    case "found":
      return match.route.value.answer(request, target, match.values);
    case "not_found":
      throw new RequestError("ROUTE_NOT_FOUND", "nothing is served at this path");
    case "malformed":
      throw new RequestError("PATH_MALFORMED", match.message);
    case "method_not_allowed":
      if (request.method === "OPTIONS") return answerOptions(request, match.allow, serving);
      throw methodNotAllowed(request.method, match.allow);
  }
}

/** The path that the templates are matched with: empty, and so not found, where the base path is not in front. */
function withoutBasePath(path: string, basePath: string): string {
  return path.startsWith(basePath) ? path.slice(basePath.length) : "";
}

function answerOptions(
  request: TranscoderRequest,
  allow: readonly string[],
  { cors, isOverridable }: Serving,
): TranscoderResponse {
  const headers: ResponseHeaders = { allow: allow.join(", ") };
  // A page sends a POST that stands for one of them.
  const allowed = isOverridable ? [...new Set([...allow, "POST"])].sort() : allow;
  cors?.addPreflightHeaders(request, allowed, headers);
  return noContent(headers);
}

function noContent(headers: ResponseHeaders): TranscoderResponse {
  return { status: 204, headers, body: undefined, trailers: undefined, matched: true };
}

function methodNotAllowed(method: string, allow: readonly string[]): RequestError {
  const allowed = allow.join(", ");
  return new RequestError("METHOD_NOT_ALLOWED", `${method} is not allowed at this path; it takes ${allowed}`, {
    headers: { allow: allowed },
  });
}
