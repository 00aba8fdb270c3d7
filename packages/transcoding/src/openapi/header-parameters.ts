import { type HeaderField, listHeaderFields } from "../rules/header-fields.js";
import type { HttpRule } from "../rules/http-rule.js";
import { createConditionParameters } from "./conditional-get.js";
import { isRequired } from "./field-behavior.js";
import { findFieldExample } from "./field-example.js";
import { createContentSchema, describeField, type FieldSchemaContext } from "./field-schema.js";
import type { OpenApiParameter } from "./openapi-document.js";
import type { SchemaUse } from "./schema-use.js";

const IN_HEADER: SchemaUse = { direction: "request", refusesNull: true };

/** Creates the header parameters of a rule: fields that travel as headers, and the headers of conditional requests. */
export function createHeaderParameters(rule: HttpRule, context: FieldSchemaContext): readonly OpenApiParameter[] {
  const own = listHeaderFields(rule.rpc.input).map((each) => createHeaderParameter(each, context));
  return [...own, ...createConditionParameters(rule)];
}

function createHeaderParameter({ field, name }: HeaderField, context: FieldSchemaContext): OpenApiParameter {
  const schema = createContentSchema(field, IN_HEADER, context);
  const description = describeField(field, schema, context);
  // Tools that send requests fill in examples. An example of an optional header, such as an ETag, would make them fail.
  const example = isRequired(field) ? findFieldExample(field, context.json) : undefined;
  return {
    name,
    in: "header",
    ...(isRequired(field) && { required: true }),
    ...(field.deprecated && { deprecated: true }),
    ...(description !== undefined && { description }),
    schema,
    ...(example !== undefined && { example }),
  };
}
