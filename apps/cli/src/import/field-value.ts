import { type DescField, ScalarType } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { findEnumNumber, listEnumNames } from "../text/enum-name.js";
import { isInt32, parseInt32, parseNumber } from "../text/number-text.js";
import { parseTimestamp } from "../text/timestamp-text.js";
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

/** A parsed value, or a description of valid values. */
export type ReadField = { readonly value: FieldValue } | { readonly expectation: string };

/** Parses a non-empty cell of a CSV file. */
export function fieldFromText(field: DescField, text: string): ReadField {
  const kind = kindOf(field);
  return toReadField(kind, kind.fromText(text));
}

/** Parses a JSON value other than null. */
export function fieldFromJson(field: DescField, json: unknown): ReadField {
  const kind = kindOf(field);
  return toReadField(kind, kind.fromJson(json));
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
  fromText: (text) => ({ true: true, false: false })[text.toLowerCase()],
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

const timestampKind: FieldKind = {
  expectation: "must be a time such as 2026-11-21T08:30:00Z",
  fromText: parseTimestamp,
  fromJson: (json) => (typeof json === "string" ? parseTimestamp(json) : undefined),
};

function kindOf(field: DescField): FieldKind {
  if (field.fieldKind === "enum") {
    const { enum: desc } = field;
    const fromText = (text: string) => findEnumNumber(desc, text);
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
