import { create, type DescMessage, type Message } from "@bufbuild/protobuf";
import { type Any, AnySchema, anyPack, hasCustomJsonRepresentation } from "@bufbuild/protobuf/wkt";
import { type LocalMessage, toLocalMessage } from "../values/local-message.js";
import { createWeakCache } from "../values/weak-cache.js";
import type { DecodeState } from "./decode-state.js";
import type { MessageDecoders, ValueDecoder } from "./decoders.js";
import type { JsonReader } from "./json-reader.js";

/**
 * Creates the decoder of `google.protobuf.Any`. Its JSON is an object whose `@type` names a type of the registry. The
 * type's fields are next to `@type`; a type with a special JSON form has that form under `value` (ProtoJSON).
 *
 * @param createFormDecoder creates the decoder of a type with a special JSON form.
 */
export function createAnyDecoder(
  decoders: MessageDecoders,
  createFormDecoder: (desc: DescMessage) => ValueDecoder,
): ValueDecoder {
  // Built at first use, because a registry may hold many types that no request uses.
  const contentOf = createWeakCache((desc: DescMessage) => createContentDecoder(desc, decoders, createFormDecoder));
  return (reader, state) => {
    if (reader.kind() !== "object") return state.rejectValue(reader, "must be an object");
    const start = reader.position;
    const typeUrl = readTypeUrl(reader);
    if (typeUrl === undefined) return create(AnySchema);
    // As in google/protobuf/any.proto, the name follows the last of at least one slash.
    const name = /\/([^/]+)$/.exec(typeUrl)?.[1];
    if (name === undefined) return state.violate('must have an "@type" such as type.googleapis.com/package.Message');
    const desc = decoders.options.registry?.getMessage(name);
    if (desc === undefined) return state.violate('must have a known "@type"');
    reader.rewind(start);
    return pack(desc, contentOf(desc)(reader, state), typeUrl, state);
  };
}

/** Scans an object for its `@type`, which may be its last member. Returns undefined for an empty object. */
function readTypeUrl(reader: JsonReader): string | undefined {
  let typeUrl: string | undefined;
  reader.open();
  for (let key = reader.nextKey(true); key !== undefined; key = reader.nextKey(false)) {
    typeUrl ??= "";
    if (key === "@type" && reader.kind() === "string") typeUrl = reader.readString();
    else reader.skipValue();
  }
  return typeUrl;
}

function createContentDecoder(
  desc: DescMessage,
  decoders: MessageDecoders,
  createFormDecoder: (desc: DescMessage) => ValueDecoder,
): ValueDecoder {
  if (!hasCustomJsonRepresentation(desc)) {
    const decoder = decoders.createContentDecoder(desc);
    return (reader, state) => {
      const message = create(desc);
      decoder.decode(reader, state, toLocalMessage(message));
      return message;
    };
  }
  const decodeForm = createFormDecoder(desc);
  const decoder = decoders.createContentDecoder(desc, (reader, state, holder) => {
    holder.value = decodeForm(reader, state);
  });
  return (reader, state) => {
    const holder: LocalMessage = {};
    decoder.decode(reader, state, holder);
    return holder.value ?? state.violate('must have a "value"');
  };
}

function pack(desc: DescMessage, content: unknown, typeUrl: string, state: DecodeState): Any | undefined {
  if (content === undefined) return undefined;
  try {
    return create(AnySchema, { typeUrl, value: anyPack(desc, content as Message).value });
  } catch {
    return state.violate("must have its required fields");
  }
}
