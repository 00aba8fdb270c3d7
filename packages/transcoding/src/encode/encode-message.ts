import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { hasCustomJsonRepresentation } from "@bufbuild/protobuf/wkt";
import { isHeaderField } from "../rules/header-fields.js";
import { type LocalMessage, toLocalMessage } from "../values/local-message.js";
import { createWeakCache } from "../values/weak-cache.js";
import { createFieldEncoder, createListPieces } from "./encode-field.js";
import type { EncodeOptions } from "./encode-options.js";
import { createJsonFormEncoder } from "./encode-value.js";
import type { FieldEncoder, MessageEncoders, ValueEncoder } from "./encoders.js";
import { createLongListCheck, isLongList, joinPieces } from "./sliced-list.js";

export type MessageEncoder = (message: Message) => string;

/**
 * Creates the encoder for a message type, cached for each options object. With default options it writes the same JSON value as `toJson` of
 * protobuf-es, and throws an Error for the same messages. Extensions are omitted.
 */
export function createMessageEncoder(desc: DescMessage, options: EncodeOptions = {}): MessageEncoder {
  return getEncoders(options).encoderOf(desc) as MessageEncoder;
}

/** Encodes a message with a long list in pieces, so that other requests proceed in between. Returns UTF-8, or undefined for any other message. */
export type LongMessageEncoder = (message: Message) => Promise<Uint8Array> | undefined;

/** Returns undefined for a type without lists. The text is the same as that of the type's encoder in `encoders`. */
export function createLongMessageEncoder(desc: DescMessage, encoders: MessageEncoders): LongMessageEncoder | undefined {
  const hasLongList = createLongListCheck(desc);
  if (hasLongList === undefined || hasCustomJsonRepresentation(desc)) return undefined;
  encoders.encoderOf(desc);
  return (message) => (hasLongList(message) ? joinPieces(encoders.piecesOf(desc, message)) : undefined);
}

class EncoderCache implements MessageEncoders {
  readonly #leavesHeaderFields: boolean;
  readonly #encoders = new Map<DescMessage, ValueEncoder>();
  readonly #members = new Map<DescMessage, readonly Member[]>();

  /** @param leavesHeaderFields whether to omit the fields that are sent as headers. */
  constructor(
    readonly options: EncodeOptions,
    leavesHeaderFields: boolean,
  ) {
    this.#leavesHeaderFields = leavesHeaderFields;
  }

  encoderOf(desc: DescMessage): ValueEncoder {
    const known = this.#encoders.get(desc);
    if (known !== undefined) {
      return known;
    }
    const members: Member[] = [];
    const encoder = createJsonFormEncoder(desc, this) ?? ((message: LocalMessage) => encodeMembers(members, message));
    // Registered before its fields are built, because a message type can contain itself.
    this.#encoders.set(desc, encoder);
    const fields = this.#leavesHeaderFields ? desc.fields.filter((field) => !isHeaderField(field)) : desc.fields;
    members.push(...fields.toSorted((a, b) => a.number - b.number).map((field) => this.#createMember(field)));
    this.#members.set(desc, members);
    return encoder;
  }

  *piecesOf(desc: DescMessage, message: Message): Iterable<string> {
    const local = toLocalMessage(message);
    let isFirst = true;
    for (const { first, further, encode, field } of this.#members.get(desc) ?? []) {
      const list = field.fieldKind === "list" && local[field.localName];
      const value = isLongList(list) ? "" : encode(local);
      if (value === undefined) continue;
      yield (isFirst ? first : further) + value;
      if (isLongList(list)) yield* createListPieces(field, this)(list);
      isFirst = false;
    }
    yield "}";
  }

  #createMember(field: DescField): Member {
    const name = JSON.stringify(this.options.fieldNames === "proto" ? field.name : field.jsonName);
    return { first: `{${name}:`, further: `,${name}:`, encode: createFieldEncoder(field, this), field };
  }
}

/**
 * Returns the encoders for bodies of JSON paths, which omit the fields that are sent as headers. They are cached for each options object,
 * which all rules of a transcoder share.
 */
export const getPathEncoders = createWeakCache(
  (options: EncodeOptions): MessageEncoders => new EncoderCache(options, true),
);

/** Returns the encoders for messages with all their fields, cached for each options object. */
export const getEncoders = createWeakCache(
  (options: EncodeOptions): MessageEncoders => new EncoderCache(options, false),
);

interface Member {
  /** The text before the value if this is the first member of its object. */
  readonly first: string;
  /** The text before the value if another member precedes it. */
  readonly further: string;
  readonly encode: FieldEncoder;
  readonly field: DescField;
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
 * Returns the same text. Reading a character makes V8 flatten the pieces that it keeps for a concatenated string. V8 would do so anyway
 * when the text is sent; doing it for each message frees the pieces before a whole list is built.
 */
function flatten(text: string): string {
  text.charCodeAt(0);
  return text;
}
