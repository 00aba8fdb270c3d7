import type { DescField } from "@bufbuild/protobuf";
import { type FieldPath, printFieldPath } from "../rules/field-path.js";
import type { LocalMessage } from "../values/local-message.js";
import type { DecodeOptions } from "./decode-options.js";
import type { DecodeState } from "./decode-state.js";
import { createFieldStore, createMessageOpener } from "./field-store.js";
import { createTextParser } from "./field-value.js";

/** Sets the field at a path from its text, or adds to it where it is repeated; notes a violation of a text that is none. */
export type TextField = (text: string, message: LocalMessage, state: DecodeState) => void;

/** Creates the way from text into the field at a path. Throws an Error where the field's values have no text. */
export function createTextField(path: FieldPath, options: DecodeOptions): TextField {
  const field = path.at(-1) ?? path[0];
  const parser = createTextParser(field, options);
  if (parser === undefined) {
    throw new Error(`${printFieldPath(path)} cannot be read from text`);
  }
  const openers = path.slice(0, -1).map(createMessageOpener);
  const store = createTextStore(field);
  return (text, message, state) => {
    const value = parser.parse(text);
    if (value === undefined) {
      state.violate(parser.expected);
      return;
    }
    let target = message;
    for (const open of openers) {
      target = open(target, state);
    }
    store(target, value, state);
  };
}

function createTextStore(field: DescField): (message: LocalMessage, value: unknown, state: DecodeState) => void {
  const name = field.localName;
  return field.fieldKind === "list"
    ? (message, value) => {
        (message[name] as unknown[]).push(value);
      }
    : createFieldStore(field);
}
