import type { DescMessage } from "@bufbuild/protobuf";
import type { BoundFields } from "../rules/bound-fields.js";
import type { LocalMessage } from "../values/local-message.js";
import type { DecodeOptions } from "./decode-options.js";
import type { DecodeState } from "./decode-state.js";
import type { JsonReader } from "./json-reader.js";

/**
 * Reads a JSON value. Returns it as protobuf-es stores it, or undefined after it has recorded a violation; either way the
 * reader is behind the value.
 */
export type ValueDecoder = (reader: JsonReader, state: DecodeState) => unknown;

/** Reads the value of a field into its message. */
export type FieldDecoder = (reader: JsonReader, state: DecodeState, message: LocalMessage) => void;

/** Reads JSON objects into messages of one type. */
export interface MessageDecoder {
  /** Reads the object that begins at the reader into a message. */
  decode(reader: JsonReader, state: DecodeState, message: LocalMessage): void;
}

/** The message decoders of one set of options, each built once. The decoders of fields find those of nested messages here. */
export interface MessageDecoders {
  readonly options: DecodeOptions;
  /**
   * Returns the decoder of a message type.
   *
   * @param bound the fields that the path binds, which the body must not contradict. Default: none.
   */
  decoderOf(desc: DescMessage, bound?: BoundFields): MessageDecoder;
  /**
   * Creates the decoder of the content of an `Any`, which has an `@type` among its fields.
   *
   * @param decodeValue decodes the member `value`, which a type with a special JSON form has instead of its fields.
   */
  createContentDecoder(desc: DescMessage, decodeValue?: FieldDecoder): MessageDecoder;
}
