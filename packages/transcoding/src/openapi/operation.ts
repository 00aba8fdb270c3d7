import { getSuccessStatus, type HttpRule } from "../rules/http-rule.js";
import { createNotModifiedResponse } from "./conditional-get.js";
import { createFieldParameters } from "./field-parameters.js";
import { createMessageExample } from "./message-example.js";
import type { OpenApiContext } from "./openapi-context.js";
import type { OpenApiOperation, OpenApiParameter } from "./openapi-document.js";
import { createPathParameters } from "./path-parameters.js";
import { createRequestBody } from "./request-body.js";
import { type JsonOptions, PARAMETER_SCHEMA_USE } from "./schema-use.js";
import { createSuccessResponse } from "./success-response.js";
import { toTitleWords } from "./title-words.js";

/** Creates the parameter for the header `X-Server-Timeout`, which all operations share. */
export function createTimeoutParameter(maxTimeoutMs: number | undefined): OpenApiParameter {
  return {
    name: "X-Server-Timeout",
    in: "header",
    description: "The timeout of the request in seconds, such as 2.5. If the timeout expires, the response is 504.",
    schema: {
      type: "number",
      minimum: 0,
      ...(Number.isFinite(maxTimeoutMs) && { maximum: Number(maxTimeoutMs) / 1000 }),
    },
  };
}

/** The JSON options for the examples in `x-rpc`. */
const PROTO_JSON: JsonOptions = { fieldNames: "proto" };

const TIMEOUT = { $ref: "#/components/parameters/ServerTimeout" };

/** Creates the operation for a rule. `main` is the first rule of the same RPC. `names` has the parameter name of each wildcard in the path. */
export function createOperation(
  rule: HttpRule,
  main: HttpRule,
  operationId: string,
  names: readonly string[],
  parts: OpenApiContext,
): OpenApiOperation {
  const { rpc } = rule;
  const summary = toTitleWords(rpc.name);
  const requestBody = createRequestBody(rule, main, parts);
  return {
    operationId,
    summary,
    description: parts.comments.find(rpc) ?? `${summary}.`,
    tags: [rpc.parent.name],
    "x-rpc": {
      method: `${rpc.parent.typeName}/${rpc.name}`,
      example: createMessageExample(rpc.input, PARAMETER_SCHEMA_USE, PROTO_JSON),
    },
    ...((rpc.deprecated || rpc.parent.deprecated) && { deprecated: true }),
    ...createSecurity(rule, parts),
    parameters: [
      ...createPathParameters(rule, names, parts.schemas),
      ...createFieldParameters(rule, parts.schemas),
      TIMEOUT,
    ],
    ...(requestBody && { requestBody }),
    responses: {
      [getSuccessStatus(rule)]: createSuccessResponse(rule, parts),
      ...createNotModifiedResponse(rule),
      ...parts.errors.createResponses(rule),
    },
  };
}

/** Creates the property `security` of an operation, with one alternative for each scheme. Empty if anyone may call the operation. */
function createSecurity({ rpc }: HttpRule, { security }: OpenApiContext): Pick<OpenApiOperation, "security"> {
  const scopes = security?.scopesOf(rpc);
  if (security === undefined || scopes === undefined) return {};
  return { security: Object.keys(security.schemes).map((name) => ({ [name]: scopes })) };
}
