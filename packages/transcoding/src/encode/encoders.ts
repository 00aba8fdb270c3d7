import type { DescMessage, Message } from "@bufbuild/protobuf";
import type { LocalMessage } from "../values/local-message.js";
import type { EncodeOptions } from "./encode-options.js";

/** Writes a value, as protobuf-es stores it, as JSON text. */
export type ValueEncoder = (value: never) => string;

/** Writes a field of a message as JSON text. Returns undefined if the field is omitted. */
export type FieldEncoder = (message: LocalMessage) => string | undefined;

/** The encoders for message types under one set of options, each created once. Encoders for fields look up those for nested messages here. */
export interface MessageEncoders {
  readonly options: EncodeOptions;
  encoderOf(desc: DescMessage): ValueEncoder;
  /** Returns the JSON text of a message with long lists, in pieces. Call `encoderOf` for its type first. */
  piecesOf(desc: DescMessage, message: Message): Iterable<string>;
}
