import type { DescMessage } from "@bufbuild/protobuf";
import type { BoundFields } from "../rules/bound-fields.js";
import type { LocalMessage } from "../values/local-message.js";
import type { DecodeOptions } from "./decode-options.js";
import type { DecodeState } from "./decode-state.js";
import type { JsonReader } from "./json-reader.js";

/** Reads a JSON value, and moves the reader past it. Returns the value as protobuf-es stores it, or undefined after recording a violation. */
export type ValueDecoder = (reader: JsonReader, state: DecodeState) => unknown;

/** Reads the value of a field into the message that contains it. */
export type FieldDecoder = (reader: JsonReader, state: DecodeState, message: LocalMessage) => void;

export interface MessageDecoder {
  /** Reads the object at the reader's position into `message`. */
  decode(reader: JsonReader, state: DecodeState, message: LocalMessage): void;
}

/** The decoders for message types under one set of options, each created once. Decoders for fields look up those for nested messages here. */
export interface MessageDecoders {
  readonly options: DecodeOptions;
  /** @param bound the fields that the URL path sets, which the body must not contradict. Default: none. */
  decoderOf(desc: DescMessage, bound?: BoundFields): MessageDecoder;
  /**
   * Creates the decoder for the content of an `Any`, which has an `@type` among its fields.
   *
   * @param decodeValue decodes the member `value`, which a type with a special JSON form has instead of its fields.
   */
  createContentDecoder(desc: DescMessage, decodeValue?: FieldDecoder): MessageDecoder;
}
