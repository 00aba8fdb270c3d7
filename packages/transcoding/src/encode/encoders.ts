import type { DescMessage, Message } from "@bufbuild/protobuf";
import type { UntypedMessage } from "../values/untyped-message.js";
import type { EncodeOptions } from "./encode-options.js";

/** Returns the JSON text of a value that has the form in which protobuf-es stores it. */
export type ValueEncoder = (value: never) => string;

/** Returns the JSON text of a field's value in a message. Undefined if the field is omitted from the JSON. */
export type FieldEncoder = (message: UntypedMessage) => string | undefined;

/**
 * The encoders for message types with the same options. Each encoder is created once. The encoder of a field gets the encoder of a nested message
 * from this cache.
 */
export interface MessageEncoders {
  readonly options: EncodeOptions;
  encoderOf(desc: DescMessage): ValueEncoder;
  /**
   * Returns the JSON text of a message that contains long lists, in pieces. Call `encoderOf` for the message's type first, because `encoderOf`
   * creates the encoders of the fields.
   */
  piecesOf(desc: DescMessage, message: Message): Iterable<string>;
}
