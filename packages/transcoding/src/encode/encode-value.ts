import {
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { isWrapperDesc, type Timestamp } from "@bufbuild/protobuf/wkt";
import { formatTimestamp } from "../values/timestamp-text.js";
import { isObject, isUnwrappedField, type UntypedMessage } from "../values/untyped-message.js";
import { createAnyEncoder } from "./encode-any.js";
import type { EncodeOptions } from "./encode-options.js";
import { createEnumEncoder, createScalarEncoder, throwInvalidFieldValue } from "./encode-scalar.js";
import type { MessageEncoders, ValueEncoder } from "./encoders.js";

/** Creates the encoder for a field's values: the value of a singular field, the items of a list, or the values of a map. */
export function createValueEncoder(field: DescField, encoders: MessageEncoders): ValueEncoder {
  if (field.enum !== undefined) {
    return createEnumEncoder(field, field.enum, encoders.options);
  }
  if (field.message === undefined) {
    return createScalarEncoder(field, field.scalar, encoders.options);
  }
  if (field.message.typeName === "google.protobuf.Struct" && field.parent.typeName !== "google.protobuf.Value") {
    return (value: JsonObject) => (isObject(value) ? encodeJson(value) : throwInvalidFieldValue(field, value));
  }
  return isUnwrappedField(field)
    ? createScalarEncoder(field, field.message.fields[0].scalar, encoders.options)
    : encoders.encoderOf(field.message);
}

/** Creates the encoder for a well-known type with a special JSON form. Returns undefined for all other message types. */
export function createWellKnownTypeEncoder(desc: DescMessage, encoders: MessageEncoders): ValueEncoder | undefined {
  switch (desc.typeName) {
    case "google.protobuf.Any":
      return createAnyEncoder(encoders);
    case "google.protobuf.Timestamp":
      return createTimestampEncoder(encoders.options);
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
  const [value] = desc.fields;
  const encodeValue = createScalarEncoder(value, value.scalar, encoders.options);
  return (message: UntypedMessage) => encodeValue(message.value as never);
}

function createTimestampEncoder({ timestampDigits = 0 }: EncodeOptions): ValueEncoder {
  // Quotes the text without escaping, because a timestamp contains no character that needs an escape.
  return (message: Timestamp) => `"${formatTimestamp(message, timestampDigits)}"`;
}

/** Returns a plain JSON value as text. Throws an Error for a value that JSON.stringify would silently change or omit. */
function encodeJson(value: JsonValue): string {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new Error(`${value} is not a JSON number`);
  }
  if (typeof value !== "object" || value === null) {
    return Object.is(value, -0) ? "-0" : encodePrimitive(value);
  }
  if (Array.isArray(value)) {
    return `[${value.map(encodeJson).join(",")}]`;
  }
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${encodeJson(member)}`);
  return `{${members.join(",")}}`;
}

function encodePrimitive(value: JsonValue): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new Error(`${typeof value} is not a JSON value`);
  return text;
}
