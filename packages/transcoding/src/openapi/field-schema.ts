import type { DescEnum, DescField, DescMessage, JsonValue } from "@bufbuild/protobuf";
import { FieldBehavior } from "../gen/google/api/field_behavior_pb.js";
import { describeEnumValues, type EnumUse, findEnumUse } from "./enum-schema.js";
import { hasFieldBehavior } from "./field-behavior.js";
import { findFieldExample } from "./field-example.js";
import type { ProtoComments } from "./proto-comments.js";
import { createMapKeySchema, createScalarSchema } from "./scalar-schema.js";
import { type Schema, toNullableSchema } from "./schema.js";
import { getJsonFieldName, isNullableField, type JsonOptions, type SchemaUse } from "./schema-use.js";

export interface FieldSchemaContext {
  readonly json: JsonOptions;
  readonly comments: ProtoComments;
  /** Returns the schema of a message type, which is usually a reference to a component. */
  messageSchema(desc: DescMessage, use: SchemaUse): Schema;
  enumSchema(desc: DescEnum, use: EnumUse): Schema;
}

/** Creates the schema of a field as a member of a JSON object, with description, behavior and example. */
export function createObjectMemberSchema(field: DescField, use: SchemaUse, context: FieldSchemaContext): Schema {
  const { schema, description, example } = describeFieldContent(field, use, context);
  return {
    ...(isNullableField(field, use, context.json) ? toNullableSchema(schema) : schema),
    ...(description !== undefined && { description }),
    ...(hasFieldBehavior(field, FieldBehavior.OUTPUT_ONLY) && { readOnly: true }),
    ...(hasFieldBehavior(field, FieldBehavior.INPUT_ONLY) && { writeOnly: true }),
    ...(field.deprecated && { deprecated: true }),
    ...(example !== undefined && { examples: [example] }),
  };
}

/** Creates the schema for the complete value of a set field: an array for a list, an object for a map. */
export function createFieldContentSchema(field: DescField, use: SchemaUse, context: FieldSchemaContext): Schema {
  const schema = createValueSchema(field, use, context);
  switch (field.fieldKind) {
    case "list":
      return { type: "array", items: schema };
    case "map": {
      const propertyNames = createMapKeySchema(field.mapKey);
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

/** Returns the schema, description and example of a field separately, because OpenAPI parameters and headers have a property for each. */
export function describeFieldContent(
  field: DescField,
  use: SchemaUse,
  context: FieldSchemaContext,
): { readonly description?: string; readonly schema: Schema; readonly example?: JsonValue } {
  const schema = createFieldContentSchema(field, use, context);
  const description = describeField(field, use, context);
  const example = findFieldExample(field, context.json);
  return { ...(description !== undefined && { description }), schema, ...(example !== undefined && { example }) };
}

/** Describes a field by its comment in the proto, by the values of its enum, and by the other members of its oneof. */
function describeField(field: DescField, use: SchemaUse, { comments, json }: FieldSchemaContext): string | undefined {
  const values =
    field.enum && describeEnumValues(field.enum, findEnumUse(field, use, json), json.enums ?? "full", comments);
  const siblings = field.oneof?.fields.map((each) => `\`${getJsonFieldName(each, json)}\``);
  const parts = [
    comments.find(field),
    values,
    siblings && siblings.length > 1 && `At most one of ${siblings.join(", ")} can be set.`,
  ].filter((part) => typeof part === "string");
  return parts.length === 0 ? undefined : parts.join("\n\n");
}
