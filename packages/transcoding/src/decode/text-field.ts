import type { DescField } from "@bufbuild/protobuf";
import { RequestError } from "../http/request-error.js";
import { type FieldPath, printFieldPath } from "../rules/field-path.js";
import { findQueryUse } from "../rules/query-use.js";
import type { LocalMessage } from "../values/local-message.js";
import { pathDecodersOf } from "./decode-message.js";
import type { DecodeOptions } from "./decode-options.js";
import type { DecodeState } from "./decode-state.js";
import { createValueDecoder } from "./decode-value.js";
import { createFieldStore, createMessageOpener } from "./field-store.js";
import { createTextParser } from "./field-value.js";
import { JsonReader } from "./json-reader.js";

/** Sets the field at a path from its text, or adds to it where it is repeated; notes a violation of a text that is none. */
export type TextField = (text: string, message: LocalMessage, state: DecodeState) => void;

/** Reads a text as a value of a field, as protobuf-es stores it; undefined after it has noted a violation. */
export type TextReader = (text: string, state: DecodeState) => unknown;

/** Sets a field of a message to a value, or adds the value to it where it is repeated. */
export type ValueStore = (message: LocalMessage, value: unknown, state: DecodeState) => void;

/** Creates the way from text into the field at a path. Throws an Error where the field's values have no text. */
export function createTextField(path: FieldPath, options: DecodeOptions): TextField {
  const field = path.at(-1) ?? path[0];
  const read = createTextReader(field, options);
  const openers = path.slice(0, -1).map(createMessageOpener);
  const store = createValueStore(field);
  return (text, message, state) => {
    const value = read(text, state);
    if (value === undefined) {
      return;
    }
    let target = message;
    for (const open of openers) {
      target = open(target, state);
    }
    store(target, value, state);
  };
}

/** Creates the reader of a field's values: of a list's items, of a map's values. Throws an Error where they have no text. */
export function createTextReader(field: DescField, options: DecodeOptions): TextReader {
  if (findQueryUse(field).kind === "json") {
    return createJsonReader(field, options);
  }
  const parser = createTextParser(field, options);
  if (parser === undefined) {
    throw new Error(`${printFieldPath([field])} cannot be a query or path parameter`);
  }
  return (text, state) => parser.parse(text) ?? state.violate(parser.expected);
}

/** Creates the store of a field that is no map. */
export function createValueStore(field: DescField): ValueStore {
  const name = field.localName;
  return field.fieldKind === "list"
    ? (message, value) => {
        (message[name] as unknown[]).push(value);
      }
    : createFieldStore(field);
}

function createJsonReader(field: DescField, options: DecodeOptions): TextReader {
  const decode = createValueDecoder(field, pathDecodersOf(options));
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
