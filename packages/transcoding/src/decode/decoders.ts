import type { DescMessage } from "@bufbuild/protobuf";
import type { BoundFields } from "../rules/bound-fields.js";
import type { UntypedMessage } from "../values/untyped-message.js";
import type { DecodeOptions } from "./decode-options.js";
import type { DecodeState } from "./decode-state.js";
import type { JsonReader } from "./json-reader.js";

/** Reads the JSON value at the reader's position. Returns the value as protobuf-es stores it, or undefined after recording a violation. */
export type ValueDecoder = (reader: JsonReader, state: DecodeState) => unknown;

/** Reads the value of a field, and sets the field in `message`. */
export type FieldDecoder = (reader: JsonReader, state: DecodeState, message: UntypedMessage) => void;

export interface MessageDecoder {
  /** Reads the JSON object at the reader's position into `message`. */
  decode(reader: JsonReader, state: DecodeState, message: UntypedMessage): void;
}

/**
 * The decoders for message types with the same options. Each decoder is created once. The decoder of a message gets the decoders of nested messages
 * from this object.
 */
export interface MessageDecoders {
  readonly options: DecodeOptions;
  /** @param bound the fields that the URL path sets. The body must not contradict them. Default: none. */
  decoderOf(desc: DescMessage, bound?: BoundFields): MessageDecoder;
  /**
   * Creates the decoder for the content of an `Any`: a JSON object with `@type` and the fields of a message of type `desc`.
   *
   * @param decodeValue decodes the member `value`, which replaces the fields if the type has a special JSON form. Undefined for other types.
   */
  createContentDecoder(desc: DescMessage, decodeValue?: FieldDecoder): MessageDecoder;
}
