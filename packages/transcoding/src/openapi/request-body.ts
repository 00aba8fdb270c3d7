import type { DescField } from "@bufbuild/protobuf";
import { type BoundFields, createBoundFields } from "../rules/bound-fields.js";
import { isHeaderField } from "../rules/header-fields.js";
import { findBodyMessage, type HttpRule } from "../rules/http-rule.js";
import { isRawBody } from "../values/raw-body.js";
import type { DocumentParts } from "./document-parts.js";
import { isRequired } from "./field-behavior.js";
import { createContentSchema } from "./field-schema.js";
import { createFieldExample, createMessageExample } from "./message-example.js";
import type { OpenApiRequestBody } from "./openapi-document.js";
import type { SchemaUse } from "./schema-use.js";

/**
 * Creates the request body of a rule, without the fields that the path binds. Returns undefined if the rule has no body.
 *
 * @param main the first rule of the RPC. Clients of an additional binding usually omit the fields that the path of the first rule binds,
 *   such as a parent, and so does the example.
 */
export function createRequestBody(
  rule: HttpRule,
  main: HttpRule,
  parts: DocumentParts,
): OpenApiRequestBody | undefined {
  const { body, rpc } = rule;
  const use: SchemaUse = { direction: "request", refusesNull: rule.response?.refuseNull === true };
  const bound = createBoundFields(rule.pathFields);
  if (isRawBody(findBodyMessage(rule))) return RAW_BODY;
  if (body.kind === "none") return undefined;
  if (body.kind === "field") return createFieldBody(body.field, use, bound.get(body.field), parts);
  const schema = parts.schemas.messageSchema(rpc.input, use, bound);
  const shown = createBoundFields([...rule.pathFields, ...main.pathFields]);
  const example = createMessageExample(rpc.input, use, parts.json, shown);
  // A missing body counts as an empty object.
  const required = rpc.input.fields.some((field) => isRequired(field) && !bound.has(field) && !isHeaderField(field));
  return { required, content: { "application/json": { schema, example } } };
}

const RAW_BODY: OpenApiRequestBody = { required: false, content: { "*/*": { schema: {} } } };

function createFieldBody(
  field: DescField,
  use: SchemaUse,
  within: BoundFields | undefined,
  parts: DocumentParts,
): OpenApiRequestBody {
  const description = parts.comments.find(field);
  const schema =
    within === undefined || field.message === undefined
      ? createContentSchema(field, use, parts.schemas)
      : parts.schemas.messageSchema(field.message, use, within);
  return {
    ...(description !== undefined && { description }),
    required: isRequired(field),
    content: { "application/json": { schema, example: createFieldExample(field, use, parts.json, within) } },
  };
}
