import { type HeaderField, listHeaderFields } from "../rules/header-fields.js";
import type { HttpRule } from "../rules/http-rule.js";
import { createConditionParameters } from "./conditional-get.js";
import { isRequired } from "./field-behavior.js";
import { describeContent, type FieldSchemaContext } from "./field-schema.js";
import type { OpenApiParameter } from "./openapi-document.js";
import { PARAMETER } from "./schema-use.js";

/** Creates the header parameters of a rule: fields that travel as headers, and the headers of conditional requests. */
export function createHeaderParameters(rule: HttpRule, context: FieldSchemaContext): readonly OpenApiParameter[] {
  const own = listHeaderFields(rule.rpc.input).map((each) => createHeaderParameter(each, context));
  return [...own, ...createConditionParameters(rule)];
}

function createHeaderParameter({ field, name }: HeaderField, context: FieldSchemaContext): OpenApiParameter {
  const { example, ...content } = describeContent(field, PARAMETER, context);
  return {
    name,
    in: "header",
    ...(isRequired(field) && { required: true }),
    ...(field.deprecated && { deprecated: true }),
    ...content,
    // Tools that send requests fill in examples. An example of an optional header, such as an ETag, would make them fail.
    ...(isRequired(field) && example !== undefined && { example }),
  };
}
