import { type DescField, ScalarType } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { findEnumNumber, listEnumNames } from "../text/enum-name.js";
import { EXPECTED_TIME, readTime } from "../text/local-time.js";
import { isNoId } from "../text/no-value.js";
import { isInt32, parseInt32, parseNumber } from "../text/number-text.js";
import { readCallerNumber, readPhoneNumber } from "../text/phone-number-text.js";
import type { ReadResult } from "../text/read-result.js";
import { spreadsheetDamage } from "../text/spreadsheet-damage.js";
import type { ImportColumn } from "./import-columns.js";
import type { FieldValue } from "./import-row.js";

/** Parses a value; returns undefined if it is invalid. */
type Reader<Source> = (source: Source) => FieldValue | undefined;

interface FieldKind {
  /** Describes valid values, for error messages. */
  readonly expectation: string;
  /** Parses a non-empty cell. */
  readonly fromText: Reader<string>;
  /** Parses a JSON value. Other JSON types are not converted. */
  readonly fromJson: Reader<unknown>;
}

/** A parsed value, which is undefined if absent, or the rule that it breaks. */
export type ReadField = ReadResult<FieldValue | undefined>;

/** Parses a non-empty cell of a CSV file. */
export function fieldFromText(column: ImportColumn, text: string): ReadField {
  const kind = kindOf(column.field);
  return readSpelling(column, text) ?? toReadField(kind, kind.fromText(text));
}

/** Parses a JSON value other than null. */
export function fieldFromJson(column: ImportColumn, json: unknown): ReadField {
  const kind = kindOf(column.field);
  if (kind === textKind && typeof json === "number") return { expectation: "must be a string: put it in quotes" };
  const text = textKind.fromJson(json);
  const read = typeof text === "string" ? readSpelling(column, text) : undefined;
  return read ?? toReadField(kind, kind.fromJson(json));
}

/** Reads a value that files spell in many ways: a time, a phone number or an id. Returns undefined for other fields. */
function readSpelling({ field, zone }: ImportColumn, text: string): ReadField | undefined {
  const problem = field.name.endsWith("_id") ? idProblem(text) : undefined;
  if (problem !== undefined) return { expectation: problem };
  if (kindOf(field) === timestampKind) return readTime(text, zone);
  if (field.name === "caller_number") return readCallerNumber(text);
  return field.name.endsWith("_number") ? readPhoneNumber(text) : undefined;
}

function idProblem(text: string): string | undefined {
  const damage = spreadsheetDamage(text);
  return (
    damage ??
    (isNoId(text) ? `must be an id, but ${JSON.stringify(text)} stands for an absent one: correct it` : undefined)
  );
}

function toReadField({ expectation }: FieldKind, value: FieldValue | undefined): ReadField {
  return value === undefined ? { expectation } : { value };
}

const textKind: FieldKind = {
  expectation: "must be a string of Unicode characters",
  fromText: (text) => text,
  fromJson: (json) => (typeof json === "string" && json.isWellFormed() ? json : undefined),
};

const booleanKind: FieldKind = {
  expectation: "must be true or false",
  fromText: (text) => (/^(?:true|false)$/i.test(text) ? text.toLowerCase() === "true" : undefined),
  fromJson: (json) => (typeof json === "boolean" ? json : undefined),
};

const integerKind: FieldKind = {
  expectation: "must be an integer",
  fromText: parseInt32,
  fromJson: (json) => (typeof json === "number" && isInt32(json) ? json : undefined),
};

const numberKind: FieldKind = {
  expectation: "must be a number",
  fromText: parseNumber,
  fromJson: (json) => (typeof json === "number" ? json : undefined),
};

/** `readSpelling` parses times, all of which are strings. */
const timestampKind: FieldKind = {
  expectation: EXPECTED_TIME,
  fromText: () => undefined,
  fromJson: () => undefined,
};

function kindOf(field: DescField): FieldKind {
  if (field.fieldKind === "enum") {
    const { enum: desc } = field;
    const fromText = (text: string) =>
      findEnumNumber(desc, text) ?? findEnumNumber(desc, text.toLowerCase().replace(/[\s-]+/g, "_"));
    return {
      expectation: `must be ${listEnumNames(desc).join(" or ")}`,
      fromText,
      fromJson: (json) => (typeof json === "string" ? fromText(json) : undefined),
    };
  }
  if (field.fieldKind === "message" && field.message.typeName === TimestampSchema.typeName) return timestampKind;
  switch (field.scalar) {
    case ScalarType.BOOL:
      return booleanKind;
    case ScalarType.INT32:
      return integerKind;
    case ScalarType.DOUBLE:
      return numberKind;
    default:
      return textKind;
  }
}
