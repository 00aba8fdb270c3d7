import { type DescField, ScalarType } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { findEnumNumber, listEnumNames } from "../text/enum-name.js";
import { parseImportedTime, TIME_EXPECTATION } from "../text/file-time.js";
import { standsForNoId } from "../text/no-value.js";
import { isInt32, parseInt32, parseNumber } from "../text/number-text.js";
import type { ParseResult } from "../text/parse-result.js";
import { parseCallerNumberText, parsePhoneNumberText } from "../text/phone-number-text.js";
import { describeSpreadsheetDamage } from "../text/spreadsheet-damage.js";
import type { ImportColumn } from "./import-columns.js";
import type { FieldValue } from "./import-row.js";

/** Parses a value; returns undefined if it is invalid. */
type Reader<Source> = (source: Source) => FieldValue | undefined;

interface FieldKind {
  /** Describes valid values, for error messages. */
  readonly expectation: string;
  /** Parses a non-empty cell. */
  readonly fromText: Reader<string>;
  /** Parses a JSON value of the field's own type. Values of other JSON types are invalid. */
  readonly fromJson: Reader<unknown>;
}

/** A parsed value, or the rule that the value breaks. The parsed value is undefined for a word that means absent, such as `anonymous`. */
export type FieldParseResult = ParseResult<FieldValue | undefined>;

/** Parses a non-empty cell of a CSV file. */
export function parseFieldText(column: ImportColumn, text: string): FieldParseResult {
  const kind = kindOf(column.field);
  return readSpelling(column, text) ?? toReadField(kind, kind.fromText(text));
}

/** Parses a JSON value other than null. */
export function parseFieldJson(column: ImportColumn, json: unknown): FieldParseResult {
  const kind = kindOf(column.field);
  if (kind === textKind && typeof json === "number") return { expectation: "must be a string: put it in quotes" };
  const text = textKind.fromJson(json);
  const read = typeof text === "string" ? readSpelling(column, text) : undefined;
  return read ?? toReadField(kind, kind.fromJson(json));
}

/** Reads a value that files spell in many ways: a time, a phone number or an id. Returns undefined for other fields. */
function readSpelling({ field, zone }: ImportColumn, text: string): FieldParseResult | undefined {
  const problem = field.name.endsWith("_id") ? idProblem(text) : undefined;
  if (problem !== undefined) return { expectation: problem };
  if (kindOf(field) === timestampKind) return parseImportedTime(text, zone);
  if (field.name === "caller_number") return parseCallerNumberText(text);
  return field.name.endsWith("_number") ? parsePhoneNumberText(text) : undefined;
}

function idProblem(text: string): string | undefined {
  const damage = describeSpreadsheetDamage(text);
  return (
    damage ??
    (standsForNoId(text) ? `must be an id, but ${JSON.stringify(text)} stands for an absent id: correct it` : undefined)
  );
}

function toReadField({ expectation }: FieldKind, value: FieldValue | undefined): FieldParseResult {
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

/** Accepts no value: `readSpelling` has already parsed times from strings, and no other JSON value is a time. */
const timestampKind: FieldKind = {
  expectation: TIME_EXPECTATION,
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
