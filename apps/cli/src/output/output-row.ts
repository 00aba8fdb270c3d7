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
import { findEnumName } from "../text/enum-name.js";

/** The value of a field in the API's JSON. */
export type OutputCell = string | number | boolean | null | readonly OutputCell[] | OutputRow;

/** A resource or another result in the API's JSON. Fields are keyed by their snake_case names, and absent values are null. */
export interface OutputRow {
  readonly [field: string]: OutputCell;
}

/** Converts a message to the JSON object that the JSON API returns for the message. */
export function rowFromMessage<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): OutputRow {
  const json = toJson(schema, message, { useProtoFieldName: true, alwaysEmitImplicit: true, enumAsInteger: true });
  return rowFromJson(schema, json as JsonObject);
}

/** Lists the fields of a resource in the API's JSON. Fields that the JSON API sends as HTTP headers, such as the etag, are left out. */
export function listRowFields(schema: DescMessage): readonly DescField[] {
  return schema.fields.filter((field) => getOption(field, header) === "");
}

function rowFromJson(schema: DescMessage, json: JsonObject): OutputRow {
  // As in the API's JSON, unset members of a oneof are left out.
  const fields = listRowFields(schema).filter(({ name, oneof }) => oneof === undefined || json[name] !== undefined);
  return Object.fromEntries(fields.map((field) => [field.name, cellOf(field, json[field.name] ?? null)]));
}

function cellOf(field: DescField, json: JsonValue): OutputCell {
  if (field.fieldKind === "enum" && typeof json === "number") return findEnumName(field.enum, json);
  if (field.fieldKind === "list" && field.listKind === "enum" && Array.isArray(json)) {
    return json.map((item) => findEnumName(field.enum, Number(item)));
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

/** Integer types that ProtoJSON encodes as strings. */
const LONG: ReadonlySet<ScalarType> = new Set([ScalarType.INT64, ScalarType.UINT64]);

/** Adds the milliseconds to a ProtoJSON timestamp, which omits a zero fraction. */
function withMilliseconds(timestamp: string): string {
  return timestamp.includes(".") ? timestamp : timestamp.replace(/Z$/, ".000Z");
}
