import { create, type DescMessage, type DescMethod, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { createJsonMessageDecoder } from "../decode/decode-body.js";
import { getMessageDecoders } from "../decode/decode-message.js";
import type { DecodeOptions } from "../decode/decode-options.js";
import type { DecodedRequest } from "../decode/decode-request.js";
import { DecodeState } from "../decode/decode-state.js";
import { createLongMessageEncoder, createMessageEncoder, getMessageEncoders } from "../encode/encode-message.js";
import type { EncodeOptions } from "../encode/encode-options.js";
import { createLongListCheck, isLongList, joinResponsePieces, sliceList } from "../encode/sliced-list.js";
import { createMalformedMessageError } from "../http/body-errors.js";
import { toUntypedMessage, type UntypedMessage } from "../values/untyped-message.js";
import { checkValueCount } from "./check-value-count.js";

/** JSON or protobuf binary format, for the messages of one method. */
export interface MessageFormat {
  readonly name: "json" | "proto";
  /** Throws a `RequestError` if the bytes are malformed. */
  readonly decode: (bytes: Uint8Array) => DecodedRequest;
  /** Encodes a message. Returns a promise if the message contains a list of more than 1000 items. */
  readonly encode: (message: Message) => string | Uint8Array | Promise<Uint8Array>;
}

/** The message formats of a method. The names occur in media types and in the query of a Connect GET. */
export type MessageFormats = Readonly<Record<MessageFormat["name"], MessageFormat>>;

/** One object for all methods, because the encoders and decoders of message types are cached for each options object. */
const DEFAULT_OPTIONS: DecodeOptions & EncodeOptions = {};

export function createMessageFormats({ input, output }: DescMethod, options = DEFAULT_OPTIONS): MessageFormats {
  const encode = createMessageEncoder(output, options);
  const encodeLong = createLongMessageEncoder(output, getMessageEncoders(options));
  // The slices of a message would lack its required fields, so such a message is encoded at once.
  const hasLongList = hasRequiredFields(output) ? undefined : createLongListCheck(output);
  const decodeJson = createJsonMessageDecoder(input, getMessageDecoders(options));
  return {
    json: {
      name: "json",
      decode(bytes) {
        const message = create(input);
        const state = new DecodeState(false, options.refuseNul === true);
        decodeJson(bytes, toUntypedMessage(message), state);
        return { message, violations: state.violations };
      },
      encode: (message) => encodeLong?.(message) ?? encode(message),
    },
    proto: {
      name: "proto",
      decode: (bytes) => ({ message: decodeProto(input, bytes), violations: [] }),
      encode: (message) =>
        hasLongList?.(message) === true ? joinResponsePieces(encodePieces(output, message)) : toBinary(output, message),
    },
  };
}

function hasRequiredFields({ fields }: DescMessage): boolean {
  return fields.some(({ presence }) => presence === FeatureSet_FieldPresence.LEGACY_REQUIRED);
}

/** Encodes a message as several messages with slices of its long lists. A decoder of their concatenated bytes joins the slices. */
function* encodePieces(desc: DescMessage, message: Message): Iterable<Uint8Array> {
  const rest: UntypedMessage = { ...message };
  for (const { localName } of desc.fields) {
    const list = rest[localName];
    if (!isLongList(list)) continue;
    rest[localName] = [];
    for (const slice of sliceList(list)) yield toBinary(desc, create(desc, { [localName]: slice }));
  }
  yield toBinary(desc, create(desc, rest));
}

function decodeProto(desc: DescMessage, bytes: Uint8Array): Message {
  checkValueCount(desc, bytes);
  try {
    return fromBinary(desc, bytes);
  } catch {
    throw createMalformedMessageError(desc);
  }
}
