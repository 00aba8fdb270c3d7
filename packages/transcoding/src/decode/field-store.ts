import { create, type DescField, type DescOneof } from "@bufbuild/protobuf";
import {
  createGetter,
  createSetter,
  type LocalMessage,
  type LocalOneof,
  localMessage,
  requireMessage,
} from "../values/local-message.js";
import type { DecodeState } from "./decode-state.js";

/** Sets a singular field, unless another field of its oneof is set, which is a violation. */
export type FieldStore = (message: LocalMessage, value: unknown, state: DecodeState) => void;

/** Creates the store of a singular field. */
export function createFieldStore(field: DescField): FieldStore {
  const set = createSetter(field);
  const { oneof } = field;
  if (oneof === undefined) {
    return set;
  }
  const name = oneof.localName;
  return (message, value, state) => {
    const chosen = (message[name] as LocalOneof).case;
    if (chosen === undefined || chosen === field.localName) {
      set(message, value);
    } else {
      state.violate(`cannot be given together with ${protoName(oneof, chosen)}`);
    }
  };
}

/**
 * Creates the function that returns the message in a field, which it sets where it is unset. Where another field of its
 * oneof is set, that is a violation, and the message goes nowhere.
 */
export function createMessageOpener(field: DescField): (message: LocalMessage, state: DecodeState) => LocalMessage {
  const desc = requireMessage(field);
  const get = createGetter(field);
  const store = createFieldStore(field);
  return (message, state) => {
    const known = get(message) as LocalMessage | undefined;
    if (known !== undefined) {
      return known;
    }
    const created = localMessage(create(desc));
    store(message, created, state);
    return created;
  };
}

function protoName(oneof: DescOneof, localName: string): string | undefined {
  return oneof.fields.find((field) => field.localName === localName)?.name;
}
