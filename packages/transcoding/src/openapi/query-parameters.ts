import type { DescField, JsonValue } from "@bufbuild/protobuf";
import type { FieldPath } from "../rules/field-path.js";
import type { HttpRule } from "../rules/http-rule.js";
import { listQueryFields } from "../rules/query-fields.js";
import { findQueryUse } from "../rules/query-use.js";
import { isRequired } from "./field-behavior.js";
import { findFieldExample } from "./field-example.js";
import { createContentSchema, describeField, type FieldSchemaContext } from "./field-schema.js";
import type { OpenApiParameter } from "./openapi-document.js";
import type { Schema } from "./schema.js";
import { memberName, type SchemaUse } from "./schema-use.js";

const IN_QUERY: SchemaUse = { direction: "request", refusesNull: true };

/** Creates the query parameters of a rule. A nested field is named by its dotted path. */
export function createQueryParameters(rule: HttpRule, context: FieldSchemaContext): readonly OpenApiParameter[] {
  return listQueryFields(rule).map((path) => createQueryParameter(path, context));
}

function createQueryParameter(path: FieldPath, context: FieldSchemaContext): OpenApiParameter {
  const field = path.at(-1) ?? path[0];
  const schema = createContentSchema(field, IN_QUERY, context);
  const description = describeField(field, schema, context);
  const example = findFieldExample(field, context.json);
  return {
    name: path.map((each) => memberName(each, context.json)).join("."),
    in: "query",
    // A required field of an optional message is not required if the message is absent.
    ...(path.every(isRequired) && { required: true }),
    ...(field.deprecated && { deprecated: true }),
    ...(description !== undefined && { description }),
    ...describeValue(field, schema, example),
  };
}

function describeValue(field: DescField, schema: Schema, example: JsonValue | undefined): Partial<OpenApiParameter> {
  const described = { schema, ...(example !== undefined && { example }) };
  switch (findQueryUse(field).kind) {
    case "map":
      return { style: "deepObject", ...described };
    case "json":
      return { content: { "application/json": described } };
    default:
      return described;
  }
}
