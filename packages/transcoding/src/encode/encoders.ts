import type { DescMessage, Message } from "@bufbuild/protobuf";
import type { LocalMessage } from "../values/local-message.js";
import type { EncodeOptions } from "./encode-options.js";

/** Writes a value, as protobuf-es stores it, as JSON text. */
export type ValueEncoder = (value: never) => string;

/** Writes the value of a message's field as JSON text; undefined if the field is left out. */
export type FieldEncoder = (message: LocalMessage) => string | undefined;

/** The message encoders of one set of options, each built once. The encoders of fields find those of nested messages here. */
export interface MessageEncoders {
  readonly options: EncodeOptions;
  /** Returns the encoder of a message type. */
  encoderOf(desc: DescMessage): ValueEncoder;
  /** Returns the pieces of a message with long lists, whose encoder has been created. */
  piecesOf(desc: DescMessage, message: Message): Iterable<string>;
}
