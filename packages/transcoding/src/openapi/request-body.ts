import type { DescField } from "@bufbuild/protobuf";
import { type BoundFields, createBoundFields } from "../rules/bound-fields.js";
import { isHeaderField } from "../rules/header-fields.js";
import { findBodyMessageType, type HttpRule } from "../rules/http-rule.js";
import { isRawBodyType } from "../values/raw-body.js";
import { isRequiredField } from "./field-behavior.js";
import { createFieldContentSchema } from "./field-schema.js";
import { createFieldBodyExample, createMessageExample } from "./message-example.js";
import type { OpenApiContext } from "./openapi-context.js";
import type { OpenApiRequestBody } from "./openapi-document.js";
import type { SchemaUse } from "./schema-use.js";

/**
 * Creates the description of a rule's request body, without the fields that the path binds. Returns undefined if the rule has no body.
 *
 * @param main the first rule of the same RPC. The example also omits the fields that the path of this rule binds, such as a parent, because clients
 *   usually omit these fields when they use an additional binding.
 */
export function createRequestBody(
  rule: HttpRule,
  main: HttpRule,
  parts: OpenApiContext,
): OpenApiRequestBody | undefined {
  const { body, rpc } = rule;
  const use: SchemaUse = { direction: "request", refusesNull: rule.response?.refuseNull === true };
  const bound = createBoundFields(rule.pathFields);
  if (isRawBodyType(findBodyMessageType(rule))) return RAW_BODY;
  if (body.kind === "none") return undefined;
  if (body.kind === "field") return createFieldBody(body.field, use, bound.get(body.field), parts);
  const schema = parts.schemas.messageSchema(rpc.input, use, bound);
  const shown = createBoundFields([...rule.pathFields, ...main.pathFields]);
  const example = createMessageExample(rpc.input, use, parts.json, shown);
  // A body without required fields is optional, because an absent body counts as an empty object.
  const required = rpc.input.fields.some(
    (field) => isRequiredField(field) && !bound.has(field) && !isHeaderField(field),
  );
  return { required, content: { "application/json": { schema, example } } };
}

const RAW_BODY: OpenApiRequestBody = { required: false, content: { "*/*": { schema: {} } } };

function createFieldBody(
  field: DescField,
  use: SchemaUse,
  within: BoundFields | undefined,
  parts: OpenApiContext,
): OpenApiRequestBody {
  const description = parts.comments.find(field);
  const schema =
    within === undefined || field.message === undefined
      ? createFieldContentSchema(field, use, parts.schemas)
      : parts.schemas.messageSchema(field.message, use, within);
  return {
    ...(description !== undefined && { description }),
    required: isRequiredField(field),
    content: { "application/json": { schema, example: createFieldBodyExample(field, use, parts.json, within) } },
  };
}
