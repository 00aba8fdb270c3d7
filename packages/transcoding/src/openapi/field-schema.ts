import type { DescEnum, DescField, DescMessage, JsonValue } from "@bufbuild/protobuf";
import { FieldBehavior } from "../gen/google/api/field_behavior_pb.js";
import { describeEnumValues, type EnumUse, findEnumUse } from "./enum-schema.js";
import { hasBehavior } from "./field-behavior.js";
import { findFieldExample } from "./field-example.js";
import type { ProtoComments } from "./proto-comments.js";
import { createKeySchema, createScalarSchema } from "./scalar-schema.js";
import { type Schema, toNullable } from "./schema.js";
import { isNullable, type JsonOptions, memberName, type SchemaUse } from "./schema-use.js";

export interface FieldSchemaContext {
  readonly json: JsonOptions;
  readonly comments: ProtoComments;
  /** Returns the schema of a message type, usually a reference. */
  messageSchema(desc: DescMessage, use: SchemaUse): Schema;
  enumSchema(desc: DescEnum, use: EnumUse): Schema;
}

/** Creates the schema of a field as a member of an object, with its description, default and behavior. */
export function createMemberSchema(field: DescField, use: SchemaUse, context: FieldSchemaContext): Schema {
  const { schema, description, example } = describeContent(field, use, context);
  return {
    ...(isNullable(field, use, context.json) ? toNullable(schema) : schema),
    ...(description !== undefined && { description }),
    ...(hasBehavior(field, FieldBehavior.OUTPUT_ONLY) && { readOnly: true }),
    ...(hasBehavior(field, FieldBehavior.INPUT_ONLY) && { writeOnly: true }),
    ...(field.deprecated && { deprecated: true }),
    ...(example !== undefined && { examples: [example] }),
  };
}

/** Creates the schema for the content of a set field: a value, an array, or an object. */
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
    : context.enumSchema(field.enum, findEnumUse(field, use, context.json));
}

/** Returns the schema, the description and the example of a field separately, because parameters and headers have them side by side. */
export function describeContent(
  field: DescField,
  use: SchemaUse,
  context: FieldSchemaContext,
): { readonly description?: string; readonly schema: Schema; readonly example?: JsonValue } {
  const schema = createContentSchema(field, use, context);
  const description = describeField(field, use, context);
  const example = findFieldExample(field, context.json);
  return { ...(description !== undefined && { description }), schema, ...(example !== undefined && { example }) };
}

/** Describes a field by its comment, the values of its enum, and the rule that only one member of its oneof can be set. */
function describeField(field: DescField, use: SchemaUse, { comments, json }: FieldSchemaContext): string | undefined {
  const values =
    field.enum && describeEnumValues(field.enum, findEnumUse(field, use, json), json.enums ?? "full", comments);
  const siblings = field.oneof?.fields.map((each) => `\`${memberName(each, json)}\``);
  const parts = [
    comments.find(field),
    values,
    siblings && siblings.length > 1 && `At most one of ${siblings.join(", ")} can be set.`,
  ].filter((part) => typeof part === "string");
  return parts.length === 0 ? undefined : parts.join("\n\n");
}
