import { create, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { isUnwrapped, toLocalMessage } from "../values/local-message.js";
import { createAnyDecoder } from "./decode-any.js";
import { createJsonFormDecoder, decodeJsonObject } from "./decode-json-value.js";
import { createEnumDecoder, createScalarDecoder, createTextDecoder } from "./decode-scalar.js";
import type { MessageDecoders, ValueDecoder } from "./decoders.js";
import { createMessageTextParser, createWrapper } from "./text-parser.js";

/** Creates the decoder of a field's values: the value of a singular field, the items of a list, the values of a map. */
export function createValueDecoder(field: DescField, decoders: MessageDecoders): ValueDecoder {
  if (field.enum !== undefined) {
    return createEnumDecoder(field.enum, decoders.options);
  }
  if (field.message === undefined) {
    const longAsString = field.fieldKind !== "map" && field.longAsString;
    return createScalarDecoder(field, field.scalar, longAsString, decoders.options);
  }
  if (field.message.typeName === "google.protobuf.Struct") {
    // protobuf-es stores a Struct as a plain object, except inside a Value, which has its own decoder.
    return decodeJsonObject;
  }
  return isUnwrapped(field)
    ? createValueDecoder(field.message.fields[0], decoders)
    : createMessageValueDecoder(field.message, decoders);
}

/** Creates the decoder of a standalone message: a list item, a body, or the content of an `Any`. */
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
    const decodeBare = createValueDecoder(desc.fields[0], decoders);
    return (reader, state) => createWrapper(desc, decodeBare(reader, state));
  }
  const parser = createMessageTextParser(desc);
  return parser === undefined ? createPlainDecoder(desc, decoders) : createTextDecoder(parser);
}

function createPlainDecoder(desc: DescMessage, decoders: MessageDecoders): ValueDecoder {
  const decoder = decoders.decoderOf(desc);
  return (reader, state) => {
    if (reader.kind() !== "object") {
      return state.rejectValue(reader, "must be an object");
    }
    const message = create(desc);
    decoder.decode(reader, state, toLocalMessage(message));
    return message;
  };
}
