import type { DescField } from "@bufbuild/protobuf";
import { type FieldPath, lastField } from "../rules/field-path.js";
import { listHeaderFields } from "../rules/header-fields.js";
import type { HttpRule } from "../rules/http-rule.js";
import { findQueryBinding } from "../rules/query-binding.js";
import { listQueryFields } from "../rules/query-fields.js";
import { createConditionParameters } from "./conditional-get.js";
import { isRequired } from "./field-behavior.js";
import { describeContent, type FieldSchemaContext } from "./field-schema.js";
import type { OpenApiMediaType, OpenApiParameter } from "./openapi-document.js";
import { memberName, PARAMETER_USE } from "./schema-use.js";

/**
 * Creates the parameters of a rule other than those in its path: for the query, for fields that are sent as headers, and for conditional
 * requests. A nested field is named by its dotted path.
 */
export function createFieldParameters(rule: HttpRule, context: FieldSchemaContext): readonly OpenApiParameter[] {
  const queryName = (path: FieldPath) => path.map((each) => memberName(each, context.json)).join(".");
  return [
    ...listQueryFields(rule).map((path) => createParameter(path, queryName(path), "query", context)),
    ...listHeaderFields(rule.rpc.input).map(({ field, name }) => createParameter([field], name, "header", context)),
    ...createConditionParameters(rule),
  ];
}

function createParameter(
  path: FieldPath,
  name: string,
  position: "query" | "header",
  context: FieldSchemaContext,
): OpenApiParameter {
  const field = lastField(path);
  const { description, schema, example } = describeContent(field, PARAMETER_USE, context);
  // A required field of an optional message is not required if the message is absent.
  const required = path.every(isRequired);
  // Tools that send requests fill in examples. An example for an optional header, such as an ETag, would make the requests fail.
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
