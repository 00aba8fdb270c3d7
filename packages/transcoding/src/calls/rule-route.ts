import type { Route } from "../routing/router.js";
import { type HttpRule, readHttpRules } from "../rules/http-rule.js";
import type { TranscoderOptions } from "../transcoder-options.js";
import type { EndpointOptions, RuleEndpoint } from "./endpoint.js";
import { defaultMethodOptions, type RecordedMethod, recordMethods } from "./recorded-method.js";
import { createStreamEndpoint } from "./stream-endpoint.js";
import { createUnaryEndpoint } from "./unary-endpoint.js";

/** The routes of all rules whose methods `options.routes` registers. Throws an `HttpRuleError` for rules that do not hold. */
export function createRuleRoutes(options: TranscoderOptions, shared: EndpointOptions): readonly Route<RuleEndpoint>[] {
  const methods = recordMethods(options.routes, defaultMethodOptions(options));
  const services = new Set(Array.from(methods.keys(), (method) => method.parent));
  return readHttpRules(services).flatMap((rule) => {
    const recorded = methods.get(rule.rpc);
    return recorded === undefined ? [] : [createRuleRoute(rule, recorded, shared)];
  });
}

function createRuleRoute(
  rule: HttpRule,
  { spec, options }: RecordedMethod,
  shared: EndpointOptions,
): Route<RuleEndpoint> {
  const { method, template } = rule;
  switch (spec.kind) {
    case "unary":
      return { method, template, value: { isUnary: true, answer: createUnaryEndpoint(rule, spec, options, shared) } };
    case "server_streaming":
      return { method, template, value: { isUnary: false, answer: createStreamEndpoint(rule, spec, options, shared) } };
    default:
      // readHttpRules has refused it.
      throw new Error(`${rule.rpc.toString()}: a stream of requests has no JSON form`);
  }
}
