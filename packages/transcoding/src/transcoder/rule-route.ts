import type { Endpoint, EndpointOptions } from "../calls/endpoint.js";
import { createJsonCodec } from "../calls/json-codec.js";
import { defaultMethodOptions, type RecordedMethod, recordMethods } from "../calls/recorded-method.js";
import { createStreamEndpoint } from "../calls/stream-endpoint.js";
import { createUnaryEndpoint } from "../calls/unary-endpoint.js";
import { createUploadEndpoint } from "../calls/upload-endpoint.js";
import type { Route } from "../routing/router.js";
import type { HttpRule } from "../rules/http-rule.js";
import { addAliasRules } from "../rules/path-alias.js";
import { resolveHttpRules } from "../rules/read-http-rules.js";
import type { TranscoderOptions } from "./transcoder-options.js";

/** The routes of rules, and the reasons for skipped rules. */
export interface RuleRoutes {
  readonly routes: readonly Route<Endpoint>[];
  /** See `ResolvedRules`. */
  readonly skipped: readonly string[];
}

/** Creates the routes of all rules whose methods `options.routes` registers. Throws an `HttpRuleError` for invalid rules. */
export function createRuleRoutes(options: TranscoderOptions, shared: EndpointOptions): RuleRoutes {
  const methods = recordMethods(options.routes, defaultMethodOptions(options));
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
  switch (spec.kind) {
    case "unary": {
      const codec = createJsonCodec(rule, options.readMaxBytes, shared);
      return { method, template, value: createUnaryEndpoint(spec, options, codec) };
    }
    case "client_streaming":
      return { method, template, value: createUploadEndpoint(rule, spec, options, shared) };
    case "server_streaming":
    case "bidi_streaming":
      return { method, template, value: createStreamEndpoint(rule, spec, options, shared) };
  }
}
