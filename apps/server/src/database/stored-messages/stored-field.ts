import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { type Columns, type ColumnType, readTimeMs } from "@calltrack/postgres";

/** A field of a message, and where a row has its value. */
export interface StoredField {
  readonly desc: DescField;
  /** The number of the column with the value; undefined if all rows share the text of the field. */
  readonly column: number | undefined;
  /** The type of the column. */
  readonly type: ColumnType;
  /** Formats the text of the field from the time in the column; undefined if the column has the value itself. */
  readonly format: ((time: Date) => string) | undefined;
}

/**
 * Where the values of fields are that no column is named after. A `shared` field has the same text in all rows of a result. The text of any other
 * field is formatted from the time in a column, and is ASCII.
 */
export type FieldSources = Readonly<
  Record<string, "shared" | { readonly column: string; readonly format: (time: Date) => string }>
>;

const SCALARS: Readonly<Record<ColumnType, ScalarType | undefined>> = {
  boolean: ScalarType.BOOL,
  double: ScalarType.DOUBLE,
  integer: ScalarType.INT32,
  text: ScalarType.STRING,
  time: undefined,
};

/**
 * Finds the fields of a message in the columns of a result, in the order of their numbers. Returns undefined if a field has no column, or one
 * whose values cannot be copied.
 */
export function findStoredFields(
  desc: DescMessage,
  columns: Columns,
  sources: FieldSources,
): readonly StoredField[] | undefined {
  const fields = desc.fields
    .toSorted((a, b) => a.number - b.number)
    .map((field) => findStoredField(field, columns, sources[field.localName]));
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

function findStoredField(
  desc: DescField,
  { names, types }: Columns,
  source: FieldSources[string] | undefined,
): StoredField | undefined {
  if (source === "shared") return { desc, column: undefined, type: "text", format: undefined };
  const column = names.indexOf(source?.column ?? desc.name);
  const type = types[column];
  if (type === undefined || !(source === undefined ? canCopy(type, desc) : type === "time")) return undefined;
  return { desc, column, type, format: source?.format };
}

/** Whether the values of a column type are the values of a field. */
function canCopy(type: ColumnType, desc: DescField): boolean {
  if (desc.oneof !== undefined) return false;
  switch (desc.fieldKind) {
    case "scalar":
      return SCALARS[type] === desc.scalar;
    case "enum":
      // The text is the value's name in lower case without the type's prefix.
      return type === "text";
    case "message":
      return type === "time" && desc.message.typeName === "google.protobuf.Timestamp";
    default:
      return false;
  }
}

/** Returns the error for a null in the column of a field that is always set. */
export function describeNull({ parent, name }: DescField): Error {
  return new Error(`${parent.typeName}.${name} is null in the database`);
}

/** Whether a field can be unset. */
export function hasPresence({ presence }: DescField): boolean {
  return presence !== FeatureSet_FieldPresence.IMPLICIT;
}

/** Reads the time in a column. */
export function readTime(bytes: Buffer, start: number): Date {
  return new Date(readTimeMs(bytes, start));
}
