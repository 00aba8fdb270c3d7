import { type DescField, type DescMessage, type JsonObject, type MessageShape, toJson } from "@bufbuild/protobuf";
import { enumNameOf } from "./enum-name.js";

/** What one field of a resource holds, in the form that JSON has for it. */
export type Cell = string | number | boolean | null;

/** A resource as the documented JSON shows it: every field by its snake_case name, null for what is absent. */
export type Row = Readonly<Record<string, Cell>>;

/** Turns a message of the service into the row that the documented JSON paths would return for it. */
export function rowFromMessage<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): Row {
  const json = toJson(schema, message, { useProtoFieldName: true, alwaysEmitImplicit: true, enumAsInteger: true });
  return Object.fromEntries(schema.fields.map((field) => [field.name, cellOf(field, json as JsonObject)]));
}

function cellOf(field: DescField, json: JsonObject): Cell {
  const value = (json[field.name] ?? null) as Cell;
  return field.fieldKind === "enum" && typeof value === "number" ? enumNameOf(field.enum, value) : value;
}
