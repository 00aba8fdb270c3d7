import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { type BoundFields, NO_BOUND_FIELDS } from "../rules/bound-fields.js";
import { findHeaderName, isHeaderField } from "../rules/header-fields.js";
import { fieldAcceptsNull, type UntypedMessage } from "../values/untyped-message.js";
import { createWeakCache } from "../values/weak-cache.js";
import { createBoundFieldDecoder, createBoundMessageDecoder } from "./decode-bound.js";
import { createFieldDecoder } from "./decode-field.js";
import type { DecodeOptions } from "./decode-options.js";
import { type DecodeState, DUPLICATE_VIOLATION } from "./decode-state.js";
import type { FieldDecoder, MessageDecoder, MessageDecoders } from "./decoders.js";
import type { JsonReader } from "./json-reader.js";
import { describeUnknownName } from "./unknown-name.js";

/** A member that a JSON object can have, in most cases a field. */
interface Member {
  /** The position of the member among all members, for detecting duplicate keys. */
  readonly index: number;
  /** The name in the paths of violations: a field's name in the proto. */
  readonly name: string;
  readonly nullIsValue: boolean;
  readonly decode: FieldDecoder;
}

class ObjectDecoder implements MessageDecoder {
  readonly #members = new Map<string, Member>();
  readonly #fieldNames: string[] = [];
  readonly #ignoreUnknown: boolean;
  #count = 0;

  constructor(ignoreUnknown: boolean) {
    this.#ignoreUnknown = ignoreUnknown;
  }

  /** Adds a field under its proto name and its JSON name. Error messages about unknown fields list the name only if `offered` is true. */
  addField(field: DescField, decode: FieldDecoder, offered: boolean): void {
    const member = { index: this.#count++, name: field.name, nullIsValue: fieldAcceptsNull(field), decode };
    this.#members.set(field.jsonName, member).set(field.name, member);
    if (offered) {
      this.#fieldNames.push(field.name);
    }
  }

  /** Adds a member that is not a field, such as `@type`. */
  addMember(name: string, decode: FieldDecoder, offered: boolean): void {
    this.#members.set(name, { index: this.#count++, name, nullIsValue: true, decode });
    if (offered) this.#fieldNames.push(name);
  }

  decode(reader: JsonReader, state: DecodeState, message: UntypedMessage): void {
    const seen = new Array<boolean>(this.#count);
    reader.open();
    for (let key = reader.nextKey(true); key !== undefined; key = reader.nextKey(false)) {
      const member = this.#members.get(key);
      if (member === undefined) {
        this.#decodeUnknown(key, reader, state);
        continue;
      }
      state.path.push(member.name);
      if (seen[member.index] === true) {
        reader.skipValue();
        state.violate(DUPLICATE_VIOLATION);
      } else if (reader.kind() === "null" && !member.nullIsValue) {
        state.readNull(reader);
      } else {
        member.decode(reader, state, message);
      }
      seen[member.index] = true;
      state.path.pop();
    }
  }

  #decodeUnknown(key: string, reader: JsonReader, state: DecodeState): void {
    const example = state.path.length === 0 ? state.updateExample : undefined;
    state.path.push(key);
    reader.skipValue();
    // Builds no description that would be dropped, because building one is slow and a body may contain thousands of unknown fields.
    if (!this.#ignoreUnknown && !state.isFull) {
      state.violate(describeUnknownName("field", key, this.#fieldNames, example));
    }
    state.path.pop();
  }
}

class DecoderCache implements MessageDecoders {
  readonly #refusesHeaderFields: boolean;
  readonly #decoders = new Map<DescMessage, ObjectDecoder>();

  /** @param refusesHeaderFields whether a field that is sent as a header is rejected in a body. */
  constructor(
    readonly options: DecodeOptions,
    refusesHeaderFields: boolean,
  ) {
    this.#refusesHeaderFields = refusesHeaderFields;
  }

  decoderOf(desc: DescMessage, bound: BoundFields = NO_BOUND_FIELDS): MessageDecoder {
    const known = bound.size === 0 ? this.#decoders.get(desc) : undefined;
    if (known !== undefined) {
      return known;
    }
    const decoder = this.#createDecoder();
    // Stores the decoder before it adds the fields, because a message type can contain itself.
    if (bound.size === 0) this.#decoders.set(desc, decoder);
    this.#addFields(decoder, desc, bound);
    return decoder;
  }

  createContentDecoder(desc: DescMessage, decodeValue?: FieldDecoder): MessageDecoder {
    const decoder = this.#createDecoder();
    decoder.addMember("@type", (reader) => reader.skipValue(), false);
    if (decodeValue === undefined) this.#addFields(decoder, desc, NO_BOUND_FIELDS);
    else decoder.addMember("value", decodeValue, true);
    return decoder;
  }

  #createDecoder(): ObjectDecoder {
    return new ObjectDecoder(this.options.unknownFields === "ignore");
  }

  #addFields(decoder: ObjectDecoder, desc: DescMessage, bound: BoundFields): void {
    for (const field of desc.fields) {
      const within = bound.get(field);
      if (this.#refusesHeaderFields && isHeaderField(field)) {
        decoder.addField(field, createHeaderRefusal(findHeaderName(field)), false);
      } else if (within !== undefined) {
        decoder.addField(field, createBoundMessageDecoder(field, within, this), true);
      } else if (bound.has(field)) {
        decoder.addField(field, createBoundFieldDecoder(field, this), false);
      } else {
        decoder.addField(field, createFieldDecoder(field, this), true);
      }
    }
  }
}

function createHeaderRefusal(name: string): FieldDecoder {
  return (reader, state) => {
    reader.skipValue();
    state.violate(`is sent as the header ${name}: remove it from the body`);
  };
}

/**
 * Returns the decoders for request bodies on JSON paths, which reject fields that are sent as headers. Cached for each options object, which all
 * rules of a transcoder share.
 */
export const getJsonBodyDecoders = createWeakCache(
  (options: DecodeOptions): MessageDecoders => new DecoderCache(options, true),
);

/** Returns the decoders for messages with all fields, including those that JSON paths send as headers. Cached for each options object. */
export const getMessageDecoders = createWeakCache(
  (options: DecodeOptions): MessageDecoders => new DecoderCache(options, false),
);
