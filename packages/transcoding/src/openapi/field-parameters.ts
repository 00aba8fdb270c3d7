import type { DescField } from "@bufbuild/protobuf";
import { type FieldPath, getLastField } from "../rules/field-path.js";
import { listHeaderFields } from "../rules/header-fields.js";
import type { HttpRule } from "../rules/http-rule.js";
import { findQueryBinding } from "../rules/query-binding.js";
import { listQueryFields } from "../rules/query-fields.js";
import { createConditionalGetParameters } from "./conditional-get.js";
import { isRequiredField } from "./field-behavior.js";
import { describeFieldContent, type FieldSchemaContext } from "./field-schema.js";
import type { OpenApiMediaType, OpenApiParameter } from "./openapi-document.js";
import { getJsonFieldName, PARAMETER_SCHEMA_USE } from "./schema-use.js";

/**
 * Creates the parameters of a rule that are not in its path: the query parameters, the fields that are sent as headers, and the headers of
 * conditional requests. The name of the parameter for a nested field is a dotted path.
 */
export function createFieldParameters(rule: HttpRule, context: FieldSchemaContext): readonly OpenApiParameter[] {
  const queryName = (path: FieldPath) => path.map((each) => getJsonFieldName(each, context.json)).join(".");
  return [
    ...listQueryFields(rule).map((path) => createParameter(path, queryName(path), "query", context)),
    ...listHeaderFields(rule.rpc.input).map(({ field, name }) => createParameter([field], name, "header", context)),
    ...createConditionalGetParameters(rule),
  ];
}

function createParameter(
  path: FieldPath,
  name: string,
  position: "query" | "header",
  context: FieldSchemaContext,
): OpenApiParameter {
  const field = getLastField(path);
  const { description, schema, example } = describeFieldContent(field, PARAMETER_SCHEMA_USE, context);
  // Not required if a message that contains the field is optional, because the message can be absent.
  const required = path.every(isRequiredField);
  // Optional headers have no example, because tools fill examples into the requests that they send. An example ETag would make these requests fail.
  const hasExample = example !== undefined && (position === "query" || required);
  return {
    name,
    in: position,
    ...(required && { required }),
    ...(field.deprecated && { deprecated: true }),
    ...(description !== undefined && { description }),
    ...describeValue(field, { schema, ...(hasExample && { example }) }),
  };
}

function describeValue(field: DescField, value: OpenApiMediaType): Partial<OpenApiParameter> {
  const { kind } = findQueryBinding(field);
  if (kind === "json") return { content: { "application/json": value } };
  return kind === "map" ? { style: "deepObject", ...value } : value;
}
