import type { JsonValue } from "@bufbuild/protobuf";

export type SchemaType = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";

/** A JSON Schema (2020-12). Declares only the keywords that the function `openapi` writes. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: SchemaType | readonly SchemaType[];
  readonly format?: string;
  readonly contentEncoding?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly const?: string;
  readonly enum?: readonly (string | number | null)[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly not?: Schema;
  readonly description?: string;
  readonly readOnly?: true;
  readonly writeOnly?: true;
  readonly deprecated?: true;
  readonly examples?: readonly JsonValue[];
}

export function toNullableSchema(schema: Schema): Schema {
  if (schema.$ref !== undefined) return { anyOf: [schema, { type: "null" }] };
  if (schema.type === undefined) return schema;
  const nullable: Schema = { ...schema, type: [schema.type, "null" as const].flat() };
  return schema.enum === undefined ? nullable : { ...nullable, enum: [...schema.enum, null] };
}
