import type { DescField } from "@bufbuild/protobuf";
import { RequestError } from "../http/request-error.js";
import { type FieldPath, formatFieldPath, lastField } from "../rules/field-path.js";
import { findQueryBinding } from "../rules/query-binding.js";
import type { LocalMessage } from "../values/local-message.js";
import { jsonPathDecoders } from "./decode-message.js";
import type { DecodeOptions } from "./decode-options.js";
import type { DecodeState } from "./decode-state.js";
import { createValueDecoder } from "./decode-value.js";
import { createFieldSetter, createNestedSetter, type FieldSetter } from "./field-setter.js";
import { JsonReader } from "./json-reader.js";
import { createTextParser } from "./text-parser.js";

/** Parses a text and sets the field at a path to it, or appends it to a repeated field. Records a violation for invalid text. */
export type TextSetter = (text: string, message: LocalMessage, state: DecodeState) => void;

/** Parses a text as a field's value, as protobuf-es stores it. Returns undefined after recording a violation. */
export type TextReader = (text: string, state: DecodeState) => unknown;

/** @param set stores a value in the message that contains the field. Default: appends to a list, and sets a field of any other kind. */
export function createTextSetter(
  path: FieldPath,
  read: TextReader,
  set = createValueSetter(lastField(path)),
): TextSetter {
  const store = createNestedSetter(path.slice(0, -1), set);
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

/** Creates the reader for a field's values. Throws an Error if they cannot be written as text. */
export function createTextReader(field: DescField, options: DecodeOptions): TextReader {
  if (findQueryBinding(field).kind === "json") return createJsonTextReader(field, options);
  const parser = createTextParser(field, options);
  if (parser === undefined) throw new Error(`${formatFieldPath([field])} cannot be a query or path parameter`);
  return (text, state) => parser.parse(text) ?? state.violate(parser.expected);
}

function createJsonTextReader(field: DescField, options: DecodeOptions): TextReader {
  const decode = createValueDecoder(field, jsonPathDecoders(options));
  return (text, state) => {
    try {
      const reader = new JsonReader(text);
      const value = decode(reader, state);
      reader.readEnd();
      return value;
    } catch (error) {
      if (error instanceof RequestError) return state.violate("must be JSON");
      throw error;
    }
  };
}
