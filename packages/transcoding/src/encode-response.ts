import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import type { EncodeOptions } from "./encode-options.js";
import type { RawBody } from "./raw-body.js";

/** Writes the responses of one rule. */
export interface ResponseEncoder {
  /**
   * Returns the JSON text of a response message. Throws an Error where ProtoJSON has no text for it, such as a timestamp
   * out of range or an `Any` of an unregistered type.
   */
  encode(message: Message): string;
  /** Reads a response whose body is a `google.api.HttpBody`; undefined for every other type. */
  readonly readRaw: ((message: Message) => RawBody) | undefined;
}

/**
 * Creates the encoder of the responses of type `output`, of which only `responseBody` is written where it is given: a
 * repeated field becomes a bare array. An unset field with presence becomes null.
 */
export function createResponseEncoder(
  _output: DescMessage,
  _responseBody: DescField | undefined,
  _options: EncodeOptions = {},
): ResponseEncoder {
  throw new Error("not implemented");
}
