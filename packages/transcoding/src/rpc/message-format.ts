import { create, type DescMessage, type DescMethod, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { createJsonMessageDecoder } from "../decode/decode-body.js";
import { getDecoders } from "../decode/decode-message.js";
import type { DecodeOptions } from "../decode/decode-options.js";
import type { DecodedRequest } from "../decode/decode-request.js";
import { DecodeState } from "../decode/decode-state.js";
import { createMessageEncoder } from "../encode/encode-message.js";
import type { EncodeOptions } from "../encode/encode-options.js";
import { createMalformedMessageError } from "../http/body-errors.js";
import { toLocalMessage } from "../values/local-message.js";
import { checkValueCount } from "./check-value-count.js";

/** An encoding of a method's messages. */
export interface MessageFormat {
  readonly name: "json" | "proto";
  /** Throws a `RequestError` if the bytes are malformed. */
  readonly decode: (bytes: Uint8Array) => DecodedRequest;
  readonly encode: (message: Message) => string | Uint8Array;
}

/** The formats of a method, by their names in media types and in the query of a Connect GET. */
export type MessageFormats = Readonly<Record<MessageFormat["name"], MessageFormat>>;

/** Creates the formats of a method. */
export function createMessageFormats(
  { input, output }: DescMethod,
  options: DecodeOptions & EncodeOptions,
): MessageFormats {
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
      encode: createMessageEncoder(output, options),
    },
    proto: {
      name: "proto",
      decode: (bytes) => ({ message: decodeProto(input, bytes), violations: [] }),
      encode: (message) => toBinary(output, message),
    },
  };
}

function decodeProto(desc: DescMessage, bytes: Uint8Array): Message {
  checkValueCount(desc, bytes);
  try {
    return fromBinary(desc, bytes);
  } catch {
    throw createMalformedMessageError(desc);
  }
}
