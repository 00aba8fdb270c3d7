import type { DescField } from "@bufbuild/protobuf";
import { RequestError } from "../http/request-error.js";
import { type FieldPath, printFieldPath } from "../rules/field-path.js";
import { findQueryUse } from "../rules/query-use.js";
import type { LocalMessage } from "../values/local-message.js";
import { getPathDecoders } from "./decode-message.js";
import type { DecodeOptions } from "./decode-options.js";
import type { DecodeState } from "./decode-state.js";
import { createValueDecoder } from "./decode-value.js";
import { createFieldSetter, createMessageOpener, type FieldSetter, openAll } from "./field-setter.js";
import { createTextParser } from "./field-value.js";
import { JsonReader } from "./json-reader.js";

/** Parses a text and sets the field at a path to it, or appends it to a repeated field. Records a violation for invalid text. */
export type TextSetter = (text: string, message: LocalMessage, state: DecodeState) => void;

/** Parses a text as a field's value, as protobuf-es stores it. Returns undefined after recording a violation. */
export type TextValueParser = (text: string, state: DecodeState) => unknown;

/** Creates the function that sets the field at a path from text. Throws an Error if the field's values have no text form. */
export function createTextSetter(path: FieldPath, options: DecodeOptions): TextSetter {
  const field = path.at(-1) ?? path[0];
  const read = createTextValueParser(field, options);
  const openers = path.slice(0, -1).map(createMessageOpener);
  const store = createValueSetter(field);
  return (text, message, state) => {
    const value = read(text, state);
    if (value !== undefined) store(openAll(openers, message, state), value, state);
  };
}

/** Creates the parser of a field's values. Throws an Error if they have no text form. */
export function createTextValueParser(field: DescField, options: DecodeOptions): TextValueParser {
  if (findQueryUse(field).kind === "json") {
    return createJsonReader(field, options);
  }
  const parser = createTextParser(field, options);
  if (parser === undefined) {
    throw new Error(`${printFieldPath([field])} cannot be a query or path parameter`);
  }
  return (text, state) => parser.parse(text) ?? state.violate(parser.expected);
}

/** Creates the function that sets a field other than a map. It appends the value to a repeated field. */
export function createValueSetter(field: DescField): FieldSetter {
  const name = field.localName;
  return field.fieldKind === "list"
    ? (message, value) => {
        (message[name] as unknown[]).push(value);
      }
    : createFieldSetter(field);
}

function createJsonReader(field: DescField, options: DecodeOptions): TextValueParser {
  const decode = createValueDecoder(field, getPathDecoders(options));
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
