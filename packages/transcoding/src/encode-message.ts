import type { DescMessage, Message } from "@bufbuild/protobuf";
import type { EncodeOptions } from "./encode-options.js";

/** Writes a message as JSON text. */
export type MessageEncoder = (message: Message) => string;

/**
 * Creates the encoder of a message type, built once for each pair of type and options object. With default options the
 * text means what `toJson` of protobuf-es gives, and the encoder throws an Error where that does.
 */
export function createMessageEncoder(_desc: DescMessage, _options: EncodeOptions = {}): MessageEncoder {
  throw new Error("not implemented");
}
