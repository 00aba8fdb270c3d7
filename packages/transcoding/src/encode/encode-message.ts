import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { hasCustomJsonRepresentation } from "@bufbuild/protobuf/wkt";
import { isHeaderField } from "../rules/header-fields.js";
import { toUntypedMessage, type UntypedMessage } from "../values/untyped-message.js";
import { createWeakCache } from "../values/weak-cache.js";
import { createFieldEncoder, createListPieceEncoder } from "./encode-field.js";
import type { EncodeOptions } from "./encode-options.js";
import { createWellKnownTypeEncoder } from "./encode-value.js";
import type { FieldEncoder, MessageEncoders, ValueEncoder } from "./encoders.js";
import { createLongListCheck, isLongList, joinResponsePieces } from "./sliced-list.js";

export type MessageEncoder = (message: Message) => string;

/**
 * Creates the encoder for a message type, or returns the cached encoder for the same type and options object. With default options, it writes the
 * same JSON value as `toJson` of protobuf-es, and throws an Error for the same messages. It omits extensions.
 */
export function createMessageEncoder(desc: DescMessage, options: EncodeOptions = {}): MessageEncoder {
  return getMessageEncoders(options).encoderOf(desc) as MessageEncoder;
}

/** Encodes a message that contains a long list as UTF-8, in pieces between which other requests proceed. Returns undefined for all other messages. */
export type LongMessageEncoder = (message: Message) => Promise<Uint8Array> | undefined;

/**
 * Creates the encoder for messages of a type that contain long lists. It writes the same text as the encoder in `encoders`. Returns undefined for a
 * type without lists.
 */
export function createLongMessageEncoder(desc: DescMessage, encoders: MessageEncoders): LongMessageEncoder | undefined {
  const hasLongList = createLongListCheck(desc);
  if (hasLongList === undefined || hasCustomJsonRepresentation(desc)) return undefined;
  encoders.encoderOf(desc);
  return (message) => (hasLongList(message) ? joinResponsePieces(encoders.piecesOf(desc, message)) : undefined);
}

class EncoderCache implements MessageEncoders {
  readonly #omitsHeaderFields: boolean;
  readonly #encoders = new Map<DescMessage, ValueEncoder>();
  readonly #members = new Map<DescMessage, readonly Member[]>();

  /** @param omitsHeaderFields whether to omit the fields that are sent as headers. */
  constructor(
    readonly options: EncodeOptions,
    omitsHeaderFields: boolean,
  ) {
    this.#omitsHeaderFields = omitsHeaderFields;
  }

  encoderOf(desc: DescMessage): ValueEncoder {
    const known = this.#encoders.get(desc);
    if (known !== undefined) {
      return known;
    }
    const members: Member[] = [];
    const encoder =
      createWellKnownTypeEncoder(desc, this) ?? ((message: UntypedMessage) => encodeMembers(members, message));
    // Stores the encoder before it adds the members, because a message type can contain itself.
    this.#encoders.set(desc, encoder);
    const fields = this.#omitsHeaderFields ? desc.fields.filter((field) => !isHeaderField(field)) : desc.fields;
    members.push(...fields.toSorted((a, b) => a.number - b.number).map((field) => this.#createMember(field)));
    this.#members.set(desc, members);
    return encoder;
  }

  *piecesOf(desc: DescMessage, message: Message): Iterable<string> {
    const local = toUntypedMessage(message);
    let isFirst = true;
    for (const { first, further, encode, field } of this.#members.get(desc) ?? []) {
      const list = field.fieldKind === "list" && local[field.localName];
      const value = isLongList(list) ? "" : encode(local);
      if (value === undefined) continue;
      yield (isFirst ? first : further) + value;
      if (isLongList(list)) yield* createListPieceEncoder(field, this)(list);
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
 * Returns the encoders for response bodies on JSON paths, which omit fields that are sent as headers. Cached for each options object, which all rules
 * of a transcoder share.
 */
export const getJsonBodyEncoders = createWeakCache(
  (options: EncodeOptions): MessageEncoders => new EncoderCache(options, true),
);

/** Returns the encoders for messages with all fields, including those that JSON paths send as headers. Cached for each options object. */
export const getMessageEncoders = createWeakCache(
  (options: EncodeOptions): MessageEncoders => new EncoderCache(options, false),
);

interface Member {
  /** The text before the value if the member is the first one in its object. */
  readonly first: string;
  /** The text before the value if the member follows another member. */
  readonly further: string;
  readonly encode: FieldEncoder;
  readonly field: DescField;
}

function encodeMembers(members: readonly Member[], message: UntypedMessage): string {
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
 * Makes V8 join the pieces of a concatenated string, by reading a character, and returns the same text. V8 would otherwise join the pieces when the
 * text is sent. Joining them for each message frees the pieces before the text of a whole list is built.
 */
function flatten(text: string): string {
  text.charCodeAt(0);
  return text;
}
