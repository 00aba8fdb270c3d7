import type { DescField } from "@bufbuild/protobuf";
import { fieldAcceptsNull, setOwnProperty } from "../values/untyped-message.js";
import { DUPLICATE_VIOLATION, formatMapKeySegment } from "./decode-state.js";
import { createValueDecoder } from "./decode-value.js";
import type { FieldDecoder, MessageDecoders, ValueDecoder } from "./decoders.js";
import { createFieldSetter, type FieldSetter } from "./field-setter.js";
import { createScalarTextParser } from "./text-parser.js";

export function createFieldDecoder(field: DescField, decoders: MessageDecoders): FieldDecoder {
  const decode = createValueDecoder(field, decoders);
  switch (field.fieldKind) {
    case "list":
      return createListDecoder(field.localName, decode, fieldAcceptsNull(field));
    case "map":
      return createMapDecoder(field, decode, decoders);
    default:
      return createSingularDecoder(createFieldSetter(field), decode);
  }
}

function createSingularDecoder(store: FieldSetter, decode: ValueDecoder): FieldDecoder {
  return (reader, state, message) => {
    const value = decode(reader, state);
    if (value !== undefined) {
      store(message, value, state);
    }
  };
}

function createListDecoder(name: string, decode: ValueDecoder, nullIsValue: boolean): FieldDecoder {
  const decodeItem = nullIsValue ? decode : rejectNullItem(decode);
  return (reader, state, message) => {
    if (reader.kind() !== "array") {
      state.rejectValue(reader, "must be an array");
      return;
    }
    const list = message[name] as unknown[];
    const level = state.path.push(0) - 1;
    let index = 0;
    reader.open();
    for (let more = reader.nextItem(true); more; more = reader.nextItem(false)) {
      state.path[level] = index++;
      const item = decodeItem(reader, state);
      if (item !== undefined) {
        list.push(item);
      }
    }
    state.path.pop();
  };
}

function createMapDecoder(
  field: DescField & { fieldKind: "map" },
  decode: ValueDecoder,
  decoders: MessageDecoders,
): FieldDecoder {
  const name = field.localName;
  const decodeItem = fieldAcceptsNull(field) ? decode : rejectNullItem(decode);
  const keys = createScalarTextParser(field.mapKey, false, decoders.options);
  return (reader, state, message) => {
    if (reader.kind() !== "object") {
      state.rejectValue(reader, "must be an object");
      return;
    }
    const map = message[name] as Record<string, unknown>;
    reader.open();
    for (let key = reader.nextKey(true); key !== undefined; key = reader.nextKey(false)) {
      state.path.push(formatMapKeySegment(key));
      if (Object.hasOwn(map, key)) {
        reader.skipValue();
        state.violate(DUPLICATE_VIOLATION);
      } else if (keys.parse(key) === undefined) {
        reader.skipValue();
        state.violate(`has an invalid key, which ${keys.expected}`);
      } else {
        const value = decodeItem(reader, state);
        if (value !== undefined) setOwnProperty(map, key, value);
      }
      state.path.pop();
    }
  };
}

/** Wraps the decoder for items of a list or map, and rejects null. ProtoJSON allows no null there, because an item cannot be absent. */
function rejectNullItem(decode: ValueDecoder): ValueDecoder {
  return (reader, state) =>
    reader.kind() === "null" ? state.rejectValue(reader, "must be a value") : decode(reader, state);
}
