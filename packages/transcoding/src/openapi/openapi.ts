import type { DescService } from "@bufbuild/protobuf";
import { formatPathShape } from "../routing/path-template.js";
import type { HttpRule } from "../rules/http-rule.js";
import { readHttpRules } from "../rules/read-http-rules.js";
import { ErrorResponses } from "./error-responses.js";
import { MessageSchemas } from "./message-schemas.js";
import type { OpenApiContext } from "./openapi-context.js";
import {
  OPENAPI_METHODS,
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiPathItem,
  type OpenApiResponse,
} from "./openapi-document.js";
import type { OpenApiOptions } from "./openapi-options.js";
import { createOperation, createTimeoutParameter } from "./operation.js";
import { createOperationIdNamer } from "./operation-ids.js";
import { createOpenApiPath, type OpenApiPath } from "./path-parameters.js";
import { ProtoComments } from "./proto-comments.js";
import type { Schema } from "./schema.js";
import { toTitleWords } from "./title-words.js";
import { createOpenApiWebhooks } from "./webhooks.js";

/**
 * Creates an OpenAPI 3.1 document of services, as a transcoder with the same options serves them. The document lists every path with its parameters,
 * bodies, statuses, headers and errors, and the webhooks in the options. It does not list the `HEAD` and `OPTIONS` methods that a transcoder adds.
 * Nor does it list the alternative names of fields and enum values that requests may use.
 *
 * @throws HttpRuleError for invalid rules; Error for an example that is not a valid value of its field.
 */
export function openapi(services: Iterable<DescService>, options: OpenApiOptions): OpenApiDocument {
  const { basePath = "", json = {}, security, webhooks } = options;
  const all = [...services];
  const rules = readHttpRules(all, options);
  const comments = new ProtoComments(options.protos);
  const components = { schemas: {} as Record<string, Schema>, responses: {} as Record<string, OpenApiResponse> };
  const written = Object.values(webhooks ?? {}).map(({ body }) => body);
  const errors = new ErrorResponses(options, comments, components);
  const schemas = new MessageSchemas(json, comments, components.schemas, rules, written);
  const parts: OpenApiContext = { json, basePath, comments, schemas, errors, security };
  return {
    openapi: "3.1.0",
    info: options.info,
    servers: [{ url: basePath || "/" }],
    tags: createTags(all, rules, comments),
    ...(security && { security: [] }),
    paths: createPaths(rules, parts),
    ...(webhooks && { webhooks: createOpenApiWebhooks(webhooks, parts) }),
    components: {
      ...components,
      parameters: { ServerTimeout: createTimeoutParameter(options.maxTimeoutMs) },
      ...(security && { securitySchemes: security.schemes }),
    },
  };
}

function createTags(
  services: readonly DescService[],
  rules: readonly HttpRule[],
  comments: ProtoComments,
): OpenApiDocument["tags"] {
  return services
    .filter((service) => rules.some(({ rpc }) => rpc.parent === service))
    .map((service) => {
      const description = comments.find(service);
      const title = toTitleWords(service.name.replace(/Service$/, ""));
      return { name: service.name, "x-displayName": title, ...(description !== undefined && { description }) };
    });
}

function createPaths(rules: readonly HttpRule[], parts: OpenApiContext): OpenApiDocument["paths"] {
  const nameOperation = createOperationIdNamer(rules);
  const paths = new Map<string, OpenApiPath>();
  const items: Record<string, Record<string, unknown>> = {};
  for (const rule of rules) {
    // Rules with the same path shape share a path, because OpenAPI considers paths that differ only in parameter names to be identical.
    const shape = formatPathShape(rule.template);
    const known = paths.get(shape) ?? createOpenApiPath(rule, parts.json);
    paths.set(shape, known);
    items[known.path] ??= {};
    const main = rules.find(({ rpc }) => rpc === rule.rpc) ?? rule;
    for (const method of rule.method === "*" ? listFreeMethods(rules, shape) : [rule.method]) {
      const operation = createOperation(rule, main, nameOperation(rule, method), known.names, parts);
      addOperation(items[known.path] ?? {}, method, operation);
    }
  }
  return items as Record<string, OpenApiPathItem>;
}

/** Lists the HTTP methods that a rule with the method `*` serves: those that no other rule with the same path shape has. */
function listFreeMethods(rules: readonly HttpRule[], shape: string): readonly string[] {
  const taken = rules.filter((rule) => formatPathShape(rule.template) === shape).map(({ method }) => method);
  return ["GET", "PUT", "POST", "DELETE", "PATCH"].filter((method) => !taken.includes(method));
}

function addOperation(item: Record<string, unknown>, method: string, operation: OpenApiOperation): void {
  const name = OPENAPI_METHODS.find((each) => each.toUpperCase() === method);
  if (name !== undefined) item[name] = operation;
  else item["x-additional-operations"] = { ...(item["x-additional-operations"] as object), [method]: operation };
}
