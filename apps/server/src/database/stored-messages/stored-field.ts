import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { type Columns, type ColumnType, readTimeMs } from "@calltrack/postgres";
import { formatEtag } from "../etag.js";

/** A field of a message, and where a row has its value. */
export interface StoredField {
  readonly desc: DescField;
  /** The number of the column with the value; undefined for the token of the account, which is the same in all rows. */
  readonly column: number | undefined;
  /** The type of the column, or `etag` if the value is the etag of the update time in the column. */
  readonly type: ColumnType | "etag";
}

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
export function findStoredFields(desc: DescMessage, columns: Columns): readonly StoredField[] | undefined {
  const fields = desc.fields.toSorted((a, b) => a.number - b.number).map((field) => findStoredField(field, columns));
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

function findStoredField(desc: DescField, { names, types }: Columns): StoredField | undefined {
  if (desc.name === "account_token") return { desc, column: undefined, type: "text" };
  const isEtag = desc.name === "etag";
  const column = names.indexOf(isEtag ? "updated_at" : desc.name);
  const type = types[column];
  if (isEtag) return type === "time" ? { desc, column, type: "etag" } : undefined;
  return type !== undefined && canCopy(type, desc) ? { desc, column, type } : undefined;
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

/** Reads the update time in a column as an etag. */
export function readEtag(bytes: Buffer, start: number): string {
  return formatEtag(new Date(readTimeMs(bytes, start)));
}
