import type { DescField } from "@bufbuild/protobuf";
import { RequestError } from "../http/request-error.js";
import { type FieldPath, formatFieldPath, getLastField } from "../rules/field-path.js";
import { findQueryBinding } from "../rules/query-binding.js";
import type { UntypedMessage } from "../values/untyped-message.js";
import { getJsonBodyDecoders } from "./decode-message.js";
import type { DecodeOptions } from "./decode-options.js";
import type { DecodeState } from "./decode-state.js";
import { createValueDecoder } from "./decode-value.js";
import { createFieldSetter, createNestedFieldSetter, type FieldSetter } from "./field-setter.js";
import { JsonReader } from "./json-reader.js";
import { createFieldTextParser } from "./text-parser.js";

/** Parses a text, and sets a field to the value, or appends the value to a repeated field. Records a violation for invalid text. */
export type FieldTextSetter = (text: string, message: UntypedMessage, state: DecodeState) => void;

/** Parses a text. Returns the value as protobuf-es stores it in a field, or undefined after recording a violation. */
export type FieldTextDecoder = (text: string, state: DecodeState) => unknown;

/** @param set stores a value in the message that contains the field. Default: appends the value to a list, or sets a field of any other kind. */
export function createFieldTextSetter(
  path: FieldPath,
  read: FieldTextDecoder,
  set = createValueSetter(getLastField(path)),
): FieldTextSetter {
  const store = createNestedFieldSetter(path.slice(0, -1), set);
  return (text, message, state) => {
    const value = read(text, state);
    if (value !== undefined) store(message, value, state);
  };
}

function createValueSetter(field: DescField): FieldSetter {
  const { localName } = field;
  return field.fieldKind === "list"
    ? (message, value) => (message[localName] as unknown[]).push(value)
    : createFieldSetter(field);
}

/** Creates the reader for a field's values. Throws an Error if values of the field cannot be written as text. */
export function createFieldTextDecoder(field: DescField, options: DecodeOptions): FieldTextDecoder {
  if (findQueryBinding(field).kind === "json") return createJsonTextReader(field, options);
  const parser = createFieldTextParser(field, options);
  if (parser === undefined) throw new Error(`${formatFieldPath([field])} cannot be a query or path parameter`);
  return (text, state) => parser.parse(text) ?? state.violate(parser.expected);
}

function createJsonTextReader(field: DescField, options: DecodeOptions): FieldTextDecoder {
  const decode = createValueDecoder(field, getJsonBodyDecoders(options));
  return (text, state) => {
    const depth = state.path.length;
    try {
      const reader = new JsonReader(text);
      const value = decode(reader, state);
      reader.readEnd();
      return value;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      // The error left the segments of nested values in the path, and the request is read further.
      state.path.length = depth;
      return state.violate("must be JSON");
    }
  };
}
