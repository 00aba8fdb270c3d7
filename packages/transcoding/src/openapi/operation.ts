import { type HttpRule, successStatus } from "../rules/http-rule.js";
import { createNotModified } from "./conditional-get.js";
import type { DocumentParts } from "./document-parts.js";
import { createFieldParameters } from "./field-parameters.js";
import { createMessageExample } from "./message-example.js";
import type { OpenApiOperation, OpenApiParameter } from "./openapi-document.js";
import { createPathParameters } from "./path-parameters.js";
import { createRequestBody } from "./request-body.js";
import { type JsonOptions, PARAMETER_USE } from "./schema-use.js";
import { createSuccessResponse } from "./success-response.js";
import { toWords } from "./title-words.js";

/** Creates the parameter that all operations share: the header with the client's timeout. */
export function createTimeoutParameter(maxTimeoutMs: number | undefined): OpenApiParameter {
  return {
    name: "X-Server-Timeout",
    in: "header",
    description: "Timeout of the request in seconds, such as 2.5. After that time, the response is 504.",
    schema: {
      type: "number",
      minimum: 0,
      ...(Number.isFinite(maxTimeoutMs) && { maximum: Number(maxTimeoutMs) / 1000 }),
    },
  };
}

/** JSON options of the examples in `x-rpc`. */
const PROTO_JSON: JsonOptions = { fieldNames: "proto" };

const TIMEOUT = { $ref: "#/components/parameters/ServerTimeout" };

/** Creates the operation for a rule. `main` is the first rule of its RPC, and `names` are the parameter names of its path's wildcards. */
export function createOperation(
  rule: HttpRule,
  main: HttpRule,
  operationId: string,
  names: readonly string[],
  parts: DocumentParts,
): OpenApiOperation {
  const { rpc } = rule;
  const summary = toWords(rpc.name);
  const requestBody = createRequestBody(rule, main, parts);
  return {
    operationId,
    summary,
    description: parts.comments.find(rpc) ?? `${summary}.`,
    tags: [rpc.parent.name],
    "x-rpc": {
      method: `${rpc.parent.typeName}/${rpc.name}`,
      example: createMessageExample(rpc.input, PARAMETER_USE, PROTO_JSON),
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
      [successStatus(rule)]: createSuccessResponse(rule, parts),
      ...createNotModified(rule),
      ...parts.errors.createResponses(rule),
    },
  };
}

/** Creates the security requirements of a rule: alternatives, one for each scheme. Empty if anyone may call it. */
function createSecurity({ rpc }: HttpRule, { security }: DocumentParts): Pick<OpenApiOperation, "security"> {
  const scopes = security?.scopesOf(rpc);
  if (security === undefined || scopes === undefined) return {};
  return { security: Object.keys(security.schemes).map((name) => ({ [name]: scopes })) };
}
