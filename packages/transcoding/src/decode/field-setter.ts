import { create, type DescField } from "@bufbuild/protobuf";
import {
  createGetter,
  createSetter,
  type LocalMessage,
  type LocalOneof,
  requireMessage,
  toLocalMessage,
} from "../values/local-message.js";
import type { DecodeState } from "./decode-state.js";

/** Sets a singular field, or records a violation if another field of its oneof is set. */
export type FieldSetter = (message: LocalMessage, value: unknown, state: DecodeState) => void;

/** Returns the message in a field. If the field is unset, sets it to an empty message first. */
export type MessageOpener = (message: LocalMessage, state: DecodeState) => LocalMessage;

export function createFieldSetter(field: DescField): FieldSetter {
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
      const other = oneof.fields.find(({ localName }) => localName === chosen);
      state.violate(`cannot be given together with ${other?.name}`);
    }
  };
}

/** If another field of the same oneof is set, the created function records a violation and returns a message that is discarded. */
export function createMessageOpener(field: DescField): MessageOpener {
  const desc = requireMessage(field);
  const get = createGetter(field);
  const store = createFieldSetter(field);
  return (message, state) => {
    const known = get(message) as LocalMessage | undefined;
    if (known !== undefined) {
      return known;
    }
    const created = toLocalMessage(create(desc));
    store(message, created, state);
    return created;
  };
}

/** Creates the setter that applies `set` to the nested message at `path`, and creates the messages along the path that are unset. */
export function createNestedSetter(path: readonly DescField[], set: FieldSetter): FieldSetter {
  return path.reduceRight((inner, field) => {
    const open = createMessageOpener(field);
    return (message, value, state) => inner(open(message, state), value, state);
  }, set);
}
