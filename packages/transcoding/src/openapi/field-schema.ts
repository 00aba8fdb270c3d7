import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { createEnumSchema, describeEnumValues } from "./enum-schema.js";
import { isInputOnly, isOutputOnly } from "./field-behavior.js";
import { findFieldExample } from "./field-example.js";
import type { ProtoComments } from "./proto-comments.js";
import { createKeySchema, createScalarSchema } from "./scalar-schema.js";
import { orNull, type Schema } from "./schema.js";
import { type JsonForm, mayBeNull, type SchemaUse } from "./schema-use.js";

/** What schemas of fields are made with. */
export interface FieldSchemaContext {
  readonly json: JsonForm;
  readonly comments: ProtoComments;
  /** The schema of a message type, most often a reference. */
  messageSchema(desc: DescMessage, use: SchemaUse): Schema;
}

/** The schema of a field as a member of its message's object, with all that is known of it. */
export function createMemberSchema(field: DescField, use: SchemaUse, context: FieldSchemaContext): Schema {
  const schema = createContentSchema(field, use, context);
  return {
    ...(mayBeNull(field, use, context.json) ? orNull(schema) : schema),
    ...annotate(field, schema, context),
  };
}

/** The schema of what a field holds when it is set. */
export function createContentSchema(field: DescField, use: SchemaUse, context: FieldSchemaContext): Schema {
  const schema = createValueSchema(field, use, context);
  switch (field.fieldKind) {
    case "list":
      return { type: "array", items: schema };
    case "map": {
      const propertyNames = createKeySchema(field.mapKey);
      return { type: "object", ...(propertyNames && { propertyNames }), additionalProperties: schema };
    }
    default:
      return schema;
  }
}

function createValueSchema(field: DescField, use: SchemaUse, context: FieldSchemaContext): Schema {
  if (field.message !== undefined) return context.messageSchema(field.message, use);
  return field.enum === undefined
    ? createScalarSchema(field.scalar, context.json, field)
    : createEnumSchema(field, field.enum, use, context.json);
}

function annotate(field: DescField, schema: Schema, context: FieldSchemaContext): Schema {
  const description = describeField(field, schema, context);
  const example = findFieldExample(field, context.json);
  return {
    ...(description !== undefined && { description }),
    ...(isOutputOnly(field) && { readOnly: true }),
    ...(isInputOnly(field) && { writeOnly: true }),
    ...(field.deprecated && { deprecated: true }),
    ...(example !== undefined && { examples: [example] }),
  };
}

/** The comment of a field, of its enum's values, and that of its oneof one member only can be there. */
export function describeField(
  field: DescField,
  schema: Schema,
  { comments, json }: Pick<FieldSchemaContext, "comments" | "json">,
): string | undefined {
  const values = field.enum && describeEnumValues(field.enum, schema.items ?? schema, comments, json);
  const siblings = field.oneof?.fields.map((each) => `\`${json.fieldNames === "proto" ? each.name : each.jsonName}\``);
  const parts = [
    comments.find(field),
    values,
    siblings && siblings.length > 1 && `At most one of ${siblings.join(", ")} can be set.`,
  ].filter((part) => typeof part === "string");
  return parts.length === 0 ? undefined : parts.join("\n\n");
}
