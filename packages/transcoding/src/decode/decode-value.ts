import { create, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { type Any, AnySchema, anyPack, hasCustomJsonRepresentation, isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { joinNames } from "../values/join-names.js";
import { isUnwrappedField, toUntypedMessage, type UntypedMessage } from "../values/untyped-message.js";
import { createWeakCache } from "../values/weak-cache.js";
import { createWellKnownTypeDecoder, decodeJsonObject } from "./decode-json-value.js";
import { createEnumDecoder, createJsonStringDecoder, createScalarDecoder } from "./decode-scalar.js";
import type { DecodeState } from "./decode-state.js";
import type { MessageDecoders, ValueDecoder } from "./decoders.js";
import type { JsonReader } from "./json-reader.js";
import { listMissingRequiredFields } from "./missing-fields.js";
import { createMessageTextParser, createWrapperMessage } from "./text-parser.js";

/** Creates the decoder for a field's values: the value of a singular field, the items of a list, or the values of a map. */
export function createValueDecoder(field: DescField, decoders: MessageDecoders): ValueDecoder {
  if (field.enum !== undefined) {
    return createEnumDecoder(field.enum, decoders.options);
  }
  if (field.message === undefined) {
    const longAsString = field.fieldKind !== "map" && field.longAsString;
    return createScalarDecoder(field, field.scalar, longAsString, decoders.options);
  }
  if (field.message.typeName === "google.protobuf.Struct") {
    // In a field, protobuf-es stores a Struct as a plain object. A Struct within a Value is stored differently, but Value has its own decoder.
    return decodeJsonObject;
  }
  return isUnwrappedField(field)
    ? createValueDecoder(field.message.fields[0], decoders)
    : createMessageValueDecoder(field.message, decoders);
}

/** Creates the decoder for a message that protobuf-es stores as a message and not as a bare value: in lists, in an `Any`, and as a whole body. */
export function createMessageValueDecoder(desc: DescMessage, decoders: MessageDecoders): ValueDecoder {
  switch (desc.typeName) {
    case "google.protobuf.Any":
      return createAnyDecoder(decoders);
    case "google.protobuf.Struct":
    case "google.protobuf.Value":
    case "google.protobuf.ListValue":
      return createWellKnownTypeDecoder(desc);
  }
  if (isWrapperDesc(desc)) {
    const decodeBare = createValueDecoder(desc.fields[0], decoders);
    return (reader, state) => createWrapperMessage(desc, decodeBare(reader, state));
  }
  const parser = createMessageTextParser(desc);
  return parser === undefined ? createPlainDecoder(desc, decoders) : createJsonStringDecoder(parser);
}

function createPlainDecoder(desc: DescMessage, decoders: MessageDecoders): ValueDecoder {
  const decoder = decoders.decoderOf(desc);
  return (reader, state) => {
    if (reader.kind() !== "object") {
      return state.rejectValue(reader, "must be an object");
    }
    const message = create(desc);
    decoder.decode(reader, state, toUntypedMessage(message));
    return message;
  };
}

/** Creates the decoder for an `Any`. Its `@type` names a type in the registry. A value with a special JSON form is in the member `value`. */
function createAnyDecoder(decoders: MessageDecoders): ValueDecoder {
  // Creates a decoder when a type is first used, because a registry may contain many types that no request uses.
  const contentOf = createWeakCache((desc: DescMessage) => createContentDecoder(desc, decoders));
  return (reader, state) => {
    if (reader.kind() !== "object") return state.rejectValue(reader, "must be an object");
    const start = reader.mark;
    const typeUrl = readTypeUrl(reader);
    reader.rewind(start);
    if (typeUrl === undefined) {
      reader.skipValue();
      return create(AnySchema);
    }
    // The type's name follows the last slash, and there must be a slash (google/protobuf/any.proto).
    const name = /\/([^/]+)$/.exec(typeUrl)?.[1];
    const desc = name === undefined ? undefined : decoders.options.registry?.getMessage(name);
    if (desc === undefined) {
      reader.skipValue();
      return state.violate(name === undefined ? MALFORMED_TYPE : 'must have an "@type" that this API supports');
    }
    return pack(desc, contentOf(desc)(reader, state), typeUrl, state);
  };
}

const MALFORMED_TYPE = 'must have an "@type" such as type.googleapis.com/package.Message';

/**
 * Returns the member `@type` of an object, which may be the last member. Reads the object only up to this member, because most clients write it first.
 * Undefined for an empty object. Empty if the object has no `@type`, or one that is not a string.
 */
function readTypeUrl(reader: JsonReader): string | undefined {
  let typeUrl: string | undefined;
  reader.open();
  for (let key = reader.nextKey(true); key !== undefined; key = reader.nextKey(false)) {
    if (key === "@type") return reader.kind() === "string" ? reader.readString() : "";
    typeUrl = "";
    reader.skipValue();
  }
  return typeUrl;
}

function createContentDecoder(desc: DescMessage, decoders: MessageDecoders): ValueDecoder {
  if (!hasCustomJsonRepresentation(desc)) {
    const decoder = decoders.createContentDecoder(desc);
    return (reader, state) => {
      const message = create(desc);
      decoder.decode(reader, state, toUntypedMessage(message));
      return message;
    };
  }
  const decodeForm = createMessageValueDecoder(desc, decoders);
  const decoder = decoders.createContentDecoder(desc, (reader, state, holder) => {
    holder.value = decodeForm(reader, state);
  });
  return (reader, state) => {
    const holder: UntypedMessage = {};
    decoder.decode(reader, state, holder);
    return holder.value ?? state.violate('must have a member "value" next to "@type"');
  };
}

function pack(desc: DescMessage, content: unknown, typeUrl: string, state: DecodeState): Any | undefined {
  if (content === undefined) return undefined;
  try {
    return create(AnySchema, { typeUrl, value: anyPack(desc, content as Message).value });
  } catch {
    const missing = joinNames(listMissingRequiredFields(desc, content as Message));
    return state.violate(`must have its required fields: add ${missing}`);
  }
}
