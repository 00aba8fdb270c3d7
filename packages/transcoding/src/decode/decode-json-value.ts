import { type DescMessage, fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { setOwnProperty } from "../values/untyped-message.js";
import { type DecodeState, DUPLICATE_VIOLATION, formatMapKeySegment } from "./decode-state.js";
import type { ValueDecoder } from "./decoders.js";
import type { JsonReader } from "./json-reader.js";

/** Reads a JSON object into the form in which protobuf-es stores a `google.protobuf.Struct`. If the value is no object, records a violation. */
export function decodeJsonObject(reader: JsonReader, state: DecodeState): JsonObject | undefined {
  return reader.kind() === "object" ? readObject(reader, state) : state.rejectValue(reader, "must be an object");
}

/**
 * Creates the decoder for `Struct`, `Value` and `ListValue` messages. The decoder first parses the JSON into plain values, so it is slower than the
 * decoders for other messages.
 */
export function createWellKnownTypeDecoder(desc: DescMessage): ValueDecoder {
  return (reader, state) => {
    const known = state.violations.length;
    const value = readValue(reader, state);
    if (state.violations.length > known) {
      return undefined;
    }
    try {
      return fromJson(desc, value);
    } catch {
      return state.violate(`must be in the ProtoJSON form of ${desc.typeName}`);
    }
  };
}

function readValue(reader: JsonReader, state: DecodeState): JsonValue {
  switch (reader.kind()) {
    case "object":
      return readObject(reader, state);
    case "array":
      return readArray(reader, state);
    case "string":
      return state.checkText(reader.readString()) ?? "";
    case "number":
      return readNumber(reader, state);
    case "boolean":
      return reader.readBoolean();
    default:
      reader.readNull();
      return null;
  }
}

function readObject(reader: JsonReader, state: DecodeState): JsonObject {
  const object: JsonObject = {};
  reader.open();
  for (let key = reader.nextKey(true); key !== undefined; key = reader.nextKey(false)) {
    state.path.push(formatMapKeySegment(key));
    if (Object.hasOwn(object, key)) {
      reader.skipValue();
      state.violate(DUPLICATE_VIOLATION);
    } else {
      state.checkText(key);
      setOwnProperty(object, key, readValue(reader, state));
    }
    state.path.pop();
  }
  return object;
}

function readArray(reader: JsonReader, state: DecodeState): JsonValue[] {
  const array: JsonValue[] = [];
  const level = state.path.push(0) - 1;
  reader.open();
  for (let more = reader.nextItem(true); more; more = reader.nextItem(false)) {
    state.path[level] = array.length;
    array.push(readValue(reader, state));
  }
  state.path.pop();
  return array;
}

function readNumber(reader: JsonReader, state: DecodeState): number {
  const value = Number(reader.readNumber());
  if (!Number.isFinite(value)) {
    state.violate("must be a number in the range of a double");
    return 0;
  }
  return value;
}
