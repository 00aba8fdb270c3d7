import { create, type DescField } from "@bufbuild/protobuf";
import {
  createMessageFieldGetter,
  createMessageFieldSetter,
  requireMessageType,
  toUntypedMessage,
  type UntypedMessage,
  type UntypedOneof,
} from "../values/untyped-message.js";
import type { DecodeState } from "./decode-state.js";

/** Sets a singular field. If another field in the same oneof is set, records a violation instead. */
export type FieldSetter = (message: UntypedMessage, value: unknown, state: DecodeState) => void;

/** Returns the message in a message field. If the field is unset, sets it to an empty message first. */
export type NestedMessageGetter = (message: UntypedMessage, state: DecodeState) => UntypedMessage;

export function createFieldSetter(field: DescField): FieldSetter {
  const set = createMessageFieldSetter(field);
  const { oneof } = field;
  if (oneof === undefined) {
    return set;
  }
  const name = oneof.localName;
  return (message, value, state) => {
    const chosen = (message[name] as UntypedOneof).case;
    if (chosen === undefined || chosen === field.localName) {
      set(message, value);
    } else {
      const other = oneof.fields.find(({ localName }) => localName === chosen);
      state.violate(`cannot be given together with ${other?.name}`);
    }
  };
}

/** Creates a getter. If another field in the field's oneof is set, the getter records a violation and returns a message that is then discarded. */
export function createNestedMessageGetter(field: DescField): NestedMessageGetter {
  const desc = requireMessageType(field);
  const get = createMessageFieldGetter(field);
  const store = createFieldSetter(field);
  return (message, state) => {
    const known = get(message) as UntypedMessage | undefined;
    if (known !== undefined) {
      return known;
    }
    const created = toUntypedMessage(create(desc));
    store(message, created, state);
    return created;
  };
}

/** Creates the setter that applies `set` to the nested message at `path`. The setter creates unset messages on the path. */
export function createNestedFieldSetter(path: readonly DescField[], set: FieldSetter): FieldSetter {
  return path.reduceRight((inner, field) => {
    const open = createNestedMessageGetter(field);
    return (message, value, state) => inner(open(message, state), value, state);
  }, set);
}
