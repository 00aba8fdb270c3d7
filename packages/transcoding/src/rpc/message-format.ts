import { create, type DescMessage, type DescMethod, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { createJsonMessageDecoder } from "../decode/decode-body.js";
import { getDecoders } from "../decode/decode-message.js";
import type { DecodeOptions } from "../decode/decode-options.js";
import type { DecodedRequest } from "../decode/decode-request.js";
import { DecodeState } from "../decode/decode-state.js";
import { createLongMessageEncoder, createMessageEncoder, getEncoders } from "../encode/encode-message.js";
import type { EncodeOptions } from "../encode/encode-options.js";
import { createLongListCheck, isLongList, joinPieces, sliceList } from "../encode/sliced-list.js";
import { createMalformedMessageError } from "../http/body-errors.js";
import { type LocalMessage, toLocalMessage } from "../values/local-message.js";
import { checkValueCount } from "./check-value-count.js";

/** An encoding of a method's messages. */
export interface MessageFormat {
  readonly name: "json" | "proto";
  /** Throws a `RequestError` if the bytes are malformed. */
  readonly decode: (bytes: Uint8Array) => DecodedRequest;
  /** Encodes a message. Returns a promise if the message has a long list. */
  readonly encode: (message: Message) => string | Uint8Array | Promise<Uint8Array>;
}

/** The formats of a method, by their names in media types and in the query of a Connect GET. */
export type MessageFormats = Readonly<Record<MessageFormat["name"], MessageFormat>>;

export function createMessageFormats(
  { input, output }: DescMethod,
  options: DecodeOptions & EncodeOptions,
): MessageFormats {
  const encode = createMessageEncoder(output, options);
  const encodeLong = createLongMessageEncoder(output, getEncoders(options));
  const hasLongList = createLongListCheck(output);
  const decodeJson = createJsonMessageDecoder(input, getDecoders(options));
  return {
    json: {
      name: "json",
      decode(bytes) {
        const message = create(input);
        const state = new DecodeState(false, options.refuseNul === true);
        decodeJson(bytes, toLocalMessage(message), state);
        return { message, violations: state.violations };
      },
      encode: (message) => encodeLong?.(message) ?? encode(message),
    },
    proto: {
      name: "proto",
      decode: (bytes) => ({ message: decodeProto(input, bytes), violations: [] }),
      encode: (message) =>
        hasLongList?.(message) === true ? joinPieces(encodePieces(output, message)) : toBinary(output, message),
    },
  };
}

/** Encodes long lists in slices: a decoder joins the lists of concatenated messages. */
function* encodePieces(desc: DescMessage, message: Message): Iterable<Uint8Array> {
  const rest: LocalMessage = { ...message };
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
