import type { DescField } from "@bufbuild/protobuf";
import { type FieldPath, lastField } from "../rules/field-path.js";
import type { HttpRule } from "../rules/http-rule.js";
import { listQueryFields } from "../rules/query-fields.js";
import { findQueryUse } from "../rules/query-use.js";
import { isRequired } from "./field-behavior.js";
import { describeContent, type FieldSchemaContext } from "./field-schema.js";
import type { OpenApiMediaType, OpenApiParameter } from "./openapi-document.js";
import { memberName, PARAMETER } from "./schema-use.js";

/** Creates the query parameters of a rule. A nested field is named by its dotted path. */
export function createQueryParameters(rule: HttpRule, context: FieldSchemaContext): readonly OpenApiParameter[] {
  return listQueryFields(rule).map((path) => createQueryParameter(path, context));
}

function createQueryParameter(path: FieldPath, context: FieldSchemaContext): OpenApiParameter {
  const field = lastField(path);
  const { description, ...value } = describeContent(field, PARAMETER, context);
  return {
    name: path.map((each) => memberName(each, context.json)).join("."),
    in: "query",
    // A required field of an optional message is not required if the message is absent.
    ...(path.every(isRequired) && { required: true }),
    ...(field.deprecated && { deprecated: true }),
    ...(description !== undefined && { description }),
    ...describeValue(field, value),
  };
}

function describeValue(field: DescField, value: OpenApiMediaType): Partial<OpenApiParameter> {
  switch (findQueryUse(field).kind) {
    case "map":
      return { style: "deepObject", ...value };
    case "json":
      return { content: { "application/json": value } };
    default:
      return value;
  }
}
