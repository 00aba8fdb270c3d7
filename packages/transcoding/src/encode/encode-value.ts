import { type DescField, type DescMessage, type JsonValue, type Message, toJson } from "@bufbuild/protobuf";
import { isWrapperDesc, type Timestamp } from "@bufbuild/protobuf/wkt";
import { isUnwrapped, type LocalMessage } from "../values/local-message.js";
import { printTimestamp } from "../values/timestamp-text.js";
import { createAnyEncoder } from "./encode-any.js";
import type { MessageEncoders } from "./encode-message.js";
import { createEnumEncoder, scalarEncoder, type ValueEncoder } from "./encode-scalar.js";

/** Creates the encoder of a field's values: of a list's items, of a map's values. */
export function createValueEncoder(field: DescField, encoders: MessageEncoders): ValueEncoder {
  if (field.enum !== undefined) {
    return createEnumEncoder(field.enum, encoders.options);
  }
  if (field.message === undefined) {
    return scalarEncoder(field.scalar);
  }
  if (field.message.typeName === "google.protobuf.Struct" && field.parent.typeName !== "google.protobuf.Value") {
    return encodeJson;
  }
  return isUnwrapped(field) ? wrappedEncoder(field.message) : encoders.encoderOf(field.message);
}

/** Creates the encoder of a message type that has a JSON form of its own; undefined for all others. */
export function createJsonFormEncoder(desc: DescMessage, encoders: MessageEncoders): ValueEncoder | undefined {
  switch (desc.typeName) {
    case "google.protobuf.Any":
      return createAnyEncoder(encoders);
    case "google.protobuf.Timestamp":
      // No character of it needs an escape.
      return (message: Timestamp) => `"${printTimestamp(message)}"`;
    case "google.protobuf.Duration":
    case "google.protobuf.FieldMask":
    case "google.protobuf.Struct":
    case "google.protobuf.Value":
    case "google.protobuf.ListValue":
      return (message: Message) => encodeJson(toJson(desc, message));
  }
  if (!isWrapperDesc(desc)) {
    return undefined;
  }
  const encodeValue = wrappedEncoder(desc);
  return (message: LocalMessage) => encodeValue(message.value as never);
}

function wrappedEncoder(wrapper: DescMessage): ValueEncoder {
  const [value] = wrapper.fields;
  if (value?.fieldKind !== "scalar") {
    throw new Error(`${wrapper.typeName} has no value`);
  }
  return scalarEncoder(value.scalar);
}

/** Writes plain JSON. Throws an Error for a number that JSON does not have, which JSON.stringify would turn into null. */
function encodeJson(value: JsonValue): string {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new Error(`${value} is not a JSON number`);
  }
  if (typeof value !== "object" || value === null) {
    return Object.is(value, -0) ? "-0" : JSON.stringify(value);
  }
  if (Array.isArray(value)) {
    return `[${value.map(encodeJson).join(",")}]`;
  }
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${encodeJson(member)}`);
  return `{${members.join(",")}}`;
}
