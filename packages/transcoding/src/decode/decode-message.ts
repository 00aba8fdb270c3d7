import type { DescField, DescMessage } from "@bufbuild/protobuf";
import type { BoundFields } from "../rules/bound-fields.js";
import { headerNameOf, isHeaderField } from "../rules/header-fields.js";
import { type LocalMessage, takesNull } from "../values/local-message.js";
import { createBoundDecoder, createBoundMessageDecoder } from "./decode-bound.js";
import { createFieldDecoder, type FieldDecoder } from "./decode-field.js";
import type { DecodeOptions } from "./decode-options.js";
import { type DecodeState, GIVEN_TWICE } from "./decode-state.js";
import type { JsonReader } from "./json-reader.js";
import { describeUnknownName } from "./unknown-name.js";

interface Member {
  /** Its position among the members, by which it is found again. */
  readonly index: number;
  /** The name in the proto file, as violations give it. */
  readonly name: string;
  readonly nullIsValue: boolean;
  readonly decode: FieldDecoder;
}

/** Reads JSON objects into messages of one type. */
export class MessageDecoder {
  readonly #members = new Map<string, Member>();
  readonly #fieldNames: string[] = [];
  readonly #ignoreUnknown: boolean;
  #count = 0;

  constructor(ignoreUnknown: boolean) {
    this.#ignoreUnknown = ignoreUnknown;
  }

  /** Has a field read under both its names; a field that is not `offered` is not named as one to use. */
  addField(field: DescField, decode: FieldDecoder, offered: boolean): void {
    const member = { index: this.#count++, name: field.name, nullIsValue: takesNull(field), decode };
    this.#members.set(field.jsonName, member).set(field.name, member);
    if (offered) {
      this.#fieldNames.push(field.name);
    }
  }

  /** Has a member that is no field skipped. */
  addIgnored(name: string): void {
    this.#members.set(name, { index: this.#count++, name, nullIsValue: true, decode: (reader) => reader.skipValue() });
  }

  /** Reads the object that begins at the reader into a message. */
  decode(reader: JsonReader, state: DecodeState, message: LocalMessage): void {
    const seen = new Array<boolean>(this.#count);
    reader.openObject();
    for (let key = reader.nextKey(true); key !== undefined; key = reader.nextKey(false)) {
      const member = this.#members.get(key);
      if (member === undefined) {
        this.#decodeUnknown(key, reader, state);
        continue;
      }
      state.path.push(member.name);
      if (seen[member.index] === true) {
        reader.skipValue();
        state.violate(GIVEN_TWICE);
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
    reader.skipValue();
    // A description is dear, and a body may hold very many unknown fields.
    if (!this.#ignoreUnknown && !state.isFull) {
      const example = state.path.length === 0 ? state.updateExample : undefined;
      state.path.push(key);
      state.violate(describeUnknownName("field", key, this.#fieldNames, example));
      state.path.pop();
    }
  }
}

/** The message decoders of one set of options, each built once. */
export class MessageDecoders {
  readonly options: DecodeOptions;
  readonly #refusesHeaderFields: boolean;
  readonly #decoders = new Map<DescMessage, MessageDecoder>();

  /** @param refusesHeaderFields whether the fields that travel as headers may not be members of objects. */
  constructor(options: DecodeOptions, refusesHeaderFields: boolean) {
    this.options = options;
    this.#refusesHeaderFields = refusesHeaderFields;
  }

  /** Returns the decoder of a message type. */
  decoderOf(desc: DescMessage): MessageDecoder {
    const known = this.#decoders.get(desc);
    if (known !== undefined) {
      return known;
    }
    const decoder = this.#createDecoder();
    // Before its fields, for the type may be within itself.
    this.#decoders.set(desc, decoder);
    this.#addFields(decoder, desc, new Map());
    return decoder;
  }

  /** Creates the decoder of the content of an `Any`, which has an `@type` among its fields. */
  createContentDecoder(desc: DescMessage): MessageDecoder {
    const decoder = this.#createDecoder();
    decoder.addIgnored("@type");
    this.#addFields(decoder, desc, new Map());
    return decoder;
  }

  /** Creates the decoder of a message of which the path binds some fields, which must not differ in the body. */
  createBoundDecoder(desc: DescMessage, bound: BoundFields): MessageDecoder {
    const decoder = this.#createDecoder();
    this.#addFields(decoder, desc, bound);
    return decoder;
  }

  #createDecoder(): MessageDecoder {
    return new MessageDecoder(this.options.unknownFields === "ignore");
  }

  #addFields(decoder: MessageDecoder, desc: DescMessage, bound: BoundFields): void {
    for (const field of desc.fields) {
      const within = bound.get(field);
      if (this.#refusesHeaderFields && isHeaderField(field)) {
        decoder.addField(field, createHeaderRefusal(headerNameOf(field)), false);
      } else if (within !== undefined) {
        decoder.addField(field, createBoundMessageDecoder(field, within, this), true);
      } else if (bound.has(field)) {
        decoder.addField(field, createBoundDecoder(field, this), false);
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

// The rules of a transcoder share their options, and with them the decoders of the messages that they have in common.
const PATH_DECODERS = new WeakMap<DecodeOptions, MessageDecoders>();

/** Returns the decoders of the bodies of JSON paths for an options object, the same each time. */
export function pathDecodersOf(options: DecodeOptions): MessageDecoders {
  const decoders = PATH_DECODERS.get(options) ?? new MessageDecoders(options, true);
  PATH_DECODERS.set(options, decoders);
  return decoders;
}

const WHOLE_DECODERS = new WeakMap<DecodeOptions, MessageDecoders>();

/** Returns the decoders of whole messages for an options object, the same each time. */
export function decodersOf(options: DecodeOptions): MessageDecoders {
  const decoders = WHOLE_DECODERS.get(options) ?? new MessageDecoders(options, false);
  WHOLE_DECODERS.set(options, decoders);
  return decoders;
}
