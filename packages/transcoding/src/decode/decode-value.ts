import { create, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { isUnwrapped, localMessage } from "../values/local-message.js";
import { createAnyDecoder } from "./decode-any.js";
import { createJsonFormDecoder, decodeJsonObject } from "./decode-json-value.js";
import { createEnumDecoder, createScalarDecoder, createTextDecoder } from "./decode-scalar.js";
import type { MessageDecoders, ValueDecoder } from "./decoders.js";
import { createMessageTextParser, wrap } from "./field-value.js";

/** Creates the decoder of a field's values: of a list's items, of a map's values. */
export function createValueDecoder(field: DescField, decoders: MessageDecoders): ValueDecoder {
  if (field.enum !== undefined) {
    return createEnumDecoder(field.enum, decoders.options);
  }
  if (field.message === undefined) {
    const longAsString = field.fieldKind !== "map" && field.longAsString;
    return createScalarDecoder(field, field.scalar, longAsString, decoders.options);
  }
  if (field.message.typeName === "google.protobuf.Struct") {
    // protobuf-es stores plain objects for structs, but for those within a Value, which is read as a whole.
    return decodeJsonObject;
  }
  return isUnwrapped(field)
    ? createBareValueDecoder(field.message, decoders)
    : createMessageValueDecoder(field.message, decoders);
}

/** Creates the decoder of a message type where the value stands alone: a list item, a body, the content of an `Any`. */
export function createMessageValueDecoder(desc: DescMessage, decoders: MessageDecoders): ValueDecoder {
  switch (desc.typeName) {
    case "google.protobuf.Any":
      return createAnyDecoder(decoders, (content) => createMessageValueDecoder(content, decoders));
    case "google.protobuf.Struct":
    case "google.protobuf.Value":
    case "google.protobuf.ListValue":
      return createJsonFormDecoder(desc);
  }
  if (isWrapperDesc(desc)) {
    const decodeBare = createBareValueDecoder(desc, decoders);
    return (reader, state) => wrap(desc, decodeBare(reader, state));
  }
  const parser = createMessageTextParser(desc);
  return parser === undefined ? createPlainDecoder(desc, decoders) : createTextDecoder(parser);
}

function createPlainDecoder(desc: DescMessage, decoders: MessageDecoders): ValueDecoder {
  const decoder = decoders.decoderOf(desc);
  return (reader, state) => {
    if (reader.kind() !== "object") {
      return state.refuseValue(reader, "must be an object");
    }
    const message = create(desc);
    decoder.decode(reader, state, localMessage(message));
    return message;
  };
}

function createBareValueDecoder(wrapper: DescMessage, decoders: MessageDecoders): ValueDecoder {
  const [value] = wrapper.fields;
  if (value === undefined) {
    throw new Error(`${wrapper.typeName} has no value`);
  }
  return createValueDecoder(value, decoders);
}
