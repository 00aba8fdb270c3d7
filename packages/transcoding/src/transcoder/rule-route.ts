import type { Endpoint, EndpointOptions, PathDetails } from "../calls/endpoint.js";
import { createMessageReader } from "../calls/read-message.js";
import { type RecordedMethod, recordMethods } from "../calls/recorded-method.js";
import { createStreamEndpoint } from "../calls/stream-endpoint.js";
import { parseTimeout } from "../calls/timeout.js";
import { createUnaryEndpoint } from "../calls/unary-endpoint.js";
import { createResponseWriter } from "../calls/unary-response.js";
import type { MutableResponse } from "../http/http-response.js";
import type { Route } from "../routing/router.js";
import type { HttpRule } from "../rules/http-rule.js";
import { addAliasRules } from "../rules/path-alias.js";
import { resolveHttpRules } from "../rules/read-http-rules.js";
import type { TranscoderOptions } from "./transcoder-options.js";

/**
 * Creates the routes of all rules whose methods `options.routes` registers; see `ResolvedRules` for `skipped`. Throws an
 * `HttpRuleError` for invalid rules.
 */
export function createRuleRoutes(options: TranscoderOptions, shared: EndpointOptions) {
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
  const value = createUnaryEndpoint<PathDetails, MutableResponse>(spec, options, {
    protocolName: "transcoding",
    readTimeout: parseTimeout,
    read: createMessageReader(rule, options.readMaxBytes, shared),
    write: createResponseWriter(rule, shared),
    fail: shared.errors.encode,
  });
  return { method, template, value };
}
