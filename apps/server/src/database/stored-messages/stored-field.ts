import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import type { Columns, ColumnType } from "@calltrack/postgres";

/** A value of an enum. */
interface EnumValue {
  /** The text in the database: the name in lower case without the type's prefix. */
  readonly text: Uint8Array;
  readonly number: number;
}

/** A field of a message, and where a row has its value. */
export interface StoredField {
  readonly desc: DescField;
  readonly number: number;
  /** Whether the field can be unset. */
  readonly isOptional: boolean;
  /** The number of the column with the value; undefined for the token of the account, which is the same in all rows. */
  readonly column: number | undefined;
  /** The type of the column; `enum` for the text of an enum, and `etag` if the value is the etag of the update time in the column. */
  readonly type: ColumnType | "enum" | "etag";
  readonly enumValues: readonly EnumValue[];
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
  const { name, number, presence } = desc;
  const { values = [], sharedPrefix = "" } = desc.enum ?? {};
  const enumValues = values.map((value) => ({
    text: Buffer.from(value.name.slice(sharedPrefix.length).toLowerCase()),
    number: value.number,
  }));
  const field = { desc, number, enumValues, isOptional: presence !== FeatureSet_FieldPresence.IMPLICIT };
  if (name === "account_token") return { ...field, column: undefined, type: "text" };
  const isEtag = name === "etag";
  const column = names.indexOf(isEtag ? "updated_at" : name);
  const type = types[column];
  if (isEtag) return type === "time" ? { ...field, column, type: "etag" } : undefined;
  if (type === undefined || !canCopy(type, desc)) return undefined;
  return { ...field, column, type: desc.enum === undefined ? type : "enum" };
}

/** Whether the values of a column type are the values of a field. */
function canCopy(type: ColumnType, desc: DescField): boolean {
  if (desc.oneof !== undefined) return false;
  switch (desc.fieldKind) {
    case "scalar":
      return SCALARS[type] === desc.scalar;
    case "enum":
      return type === "text";
    case "message":
      return type === "time" && desc.message.typeName === "google.protobuf.Timestamp";
    default:
      return false;
  }
}

/** @throws Error if the field of a null is always set. */
export function checkNull({ desc, isOptional }: StoredField): void {
  if (!isOptional) throw new Error(`${desc.parent.typeName}.${desc.name} is null in the database`);
}
