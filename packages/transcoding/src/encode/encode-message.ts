import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { isHeaderField } from "../rules/header-fields.js";
import type { LocalMessage } from "../values/local-message.js";
import { createFieldEncoder } from "./encode-field.js";
import type { EncodeOptions } from "./encode-options.js";
import { createJsonFormEncoder } from "./encode-value.js";
import type { FieldEncoder, MessageEncoders, ValueEncoder } from "./encoders.js";

/** Writes a message as JSON text. */
export type MessageEncoder = (message: Message) => string;

/**
 * Creates the encoder of a message type, built once for each pair of type and options object. With default options the
 * text means what `toJson` of protobuf-es gives, and the encoder throws an Error where that does. Extensions are left out.
 */
export function createMessageEncoder(desc: DescMessage, options: EncodeOptions = {}): MessageEncoder {
  return encodersOf(options).encoderOf(desc) as MessageEncoder;
}

class EncoderCache implements MessageEncoders {
  readonly options: EncodeOptions;
  readonly #leavesHeaderFields: boolean;
  readonly #encoders = new Map<DescMessage, ValueEncoder>();

  /** @param leavesHeaderFields whether the fields that travel as headers are left out of objects. */
  constructor(options: EncodeOptions, leavesHeaderFields: boolean) {
    this.options = options;
    this.#leavesHeaderFields = leavesHeaderFields;
  }

  encoderOf(desc: DescMessage): ValueEncoder {
    const known = this.#encoders.get(desc);
    if (known !== undefined) {
      return known;
    }
    const members: Member[] = [];
    const encoder = createJsonFormEncoder(desc, this) ?? ((message: LocalMessage) => encodeMembers(members, message));
    // Before its fields, for the type may be within itself.
    this.#encoders.set(desc, encoder);
    const fields = this.#leavesHeaderFields ? desc.fields.filter((field) => !isHeaderField(field)) : desc.fields;
    members.push(...fields.toSorted((a, b) => a.number - b.number).map((field) => this.#createMember(field)));
    return encoder;
  }

  #createMember(field: DescField): Member {
    const name = JSON.stringify(this.options.fieldNames === "proto" ? field.name : field.jsonName);
    return { first: `{${name}:`, further: `,${name}:`, encode: createFieldEncoder(field, this) };
  }
}

// Encoders are built once for all that share an options object, such as the rules of a transcoder.
const PATH_ENCODERS = new WeakMap<EncodeOptions, MessageEncoders>();

/** Returns the encoders of the bodies of JSON paths for an options object, the same each time. */
export function pathEncodersOf(options: EncodeOptions): MessageEncoders {
  const encoders = PATH_ENCODERS.get(options) ?? new EncoderCache(options, true);
  PATH_ENCODERS.set(options, encoders);
  return encoders;
}

const WHOLE_ENCODERS = new WeakMap<EncodeOptions, MessageEncoders>();

function encodersOf(options: EncodeOptions): MessageEncoders {
  const encoders = WHOLE_ENCODERS.get(options) ?? new EncoderCache(options, false);
  WHOLE_ENCODERS.set(options, encoders);
  return encoders;
}

interface Member {
  /** What stands before the value in the object's first member. */
  readonly first: string;
  /** What stands before it in every other. */
  readonly further: string;
  readonly encode: FieldEncoder;
}

function encodeMembers(members: readonly Member[], message: LocalMessage): string {
  let text = "";
  for (const { first, further, encode } of members) {
    const value = encode(message);
    if (value !== undefined) {
      text += (text === "" ? first : further) + value;
    }
  }
  return text === "" ? "{}" : flatten(`${text}}`);
}

/**
 * Returns the text as it is, its pieces put together: V8 does so when a character is read. It would later anyway, when the
 * text is sent; doing it message by message spares the garbage collector the pieces of a whole list.
 */
function flatten(text: string): string {
  text.charCodeAt(0);
  return text;
}
