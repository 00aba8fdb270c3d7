import {
  type DescField,
  type DescMessage,
  getOption,
  type JsonObject,
  type JsonValue,
  type MessageShape,
  ScalarType,
  toJson,
} from "@bufbuild/protobuf";
import { hasCustomJsonRepresentation, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { header } from "@calltrack/domain/gen/transcoding/v1/http_pb";
import { enumNameOf } from "./enum-name.js";

/** What one field of a resource holds, in the form that the documented JSON has for it. */
export type Cell = string | number | boolean | null | readonly Cell[] | Row;

/** A resource as the documented JSON shows it: every field by its snake_case name, null for what is absent. */
export interface Row {
  readonly [field: string]: Cell;
}

/** Turns a message of the service into the row that the documented JSON paths would return for it. */
export function rowFromMessage<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): Row {
  const json = toJson(schema, message, { useProtoFieldName: true, alwaysEmitImplicit: true, enumAsInteger: true });
  return rowFromJson(schema, json as JsonObject);
}

/** The fields of a resource that the documented JSON shows: not those that are headers there, such as the etag. */
export function rowFields(schema: DescMessage): readonly DescField[] {
  return schema.fields.filter((field) => getOption(field, header) === "");
}

function rowFromJson(schema: DescMessage, json: JsonObject): Row {
  return Object.fromEntries(rowFields(schema).map((field) => [field.name, cellOf(field, json[field.name] ?? null)]));
}

function cellOf(field: DescField, json: JsonValue): Cell {
  if (field.fieldKind === "enum" && typeof json === "number") return enumNameOf(field.enum, json);
  if (field.fieldKind === "list" && field.listKind === "enum" && Array.isArray(json)) {
    return json.map((item) => enumNameOf(field.enum, Number(item)));
  }
  if (field.fieldKind === "list" && field.listKind === "message" && Array.isArray(json)) {
    return json.map((item) => rowFromJson(field.message, item as JsonObject));
  }
  if (field.fieldKind === "scalar" && LONG.has(field.scalar) && json !== null) return Number(json);
  if (field.message?.typeName === TimestampSchema.typeName && typeof json === "string") return withMilliseconds(json);
  if (field.fieldKind === "message" && json !== null && !hasCustomJsonRepresentation(field.message)) {
    return rowFromJson(field.message, json as JsonObject);
  }
  return json;
}

/** Types of counts whose ProtoJSON is a string of digits. */
const LONG: ReadonlySet<ScalarType> = new Set([ScalarType.INT64, ScalarType.UINT64]);

/** A timestamp of ProtoJSON, which leaves the fraction of a whole second out. */
function withMilliseconds(timestamp: string): string {
  return timestamp.replace(/(?<!\.\d+)Z$/, ".000Z");
}
