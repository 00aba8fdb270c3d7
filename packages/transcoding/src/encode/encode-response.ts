import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { createGetter, type LocalMessage, toLocalMessage } from "../values/local-message.js";
import { isRawBody, type RawBody, readRawBody } from "../values/raw-body.js";
import { createContentEncoder, createListPieces } from "./encode-field.js";
import {
  createLongMessageEncoder,
  getPathEncoders,
  type LongMessageEncoder,
  type MessageEncoder,
} from "./encode-message.js";
import type { EncodeOptions } from "./encode-options.js";
import { isLongList, joinPieces } from "./sliced-list.js";

export interface ResponseEncoder {
  /** Throws an Error if ProtoJSON cannot represent the message, such as a timestamp out of range or an `Any` of an unregistered type. */
  encode(message: Message): string;
  /** Undefined if the body has no lists. */
  readonly encodeLong: LongMessageEncoder | undefined;
  /** Returns the body of a response that is a `google.api.HttpBody`; undefined for every other type. */
  readonly readRaw: ((message: Message) => RawBody) | undefined;
}

/**
 * Creates the encoder for responses of type `output`. With `responseBody`, only that field is written: a repeated field becomes a bare
 * array, and an unset field with presence becomes null. Fields that are sent as headers are omitted.
 */
export function createResponseEncoder(
  output: DescMessage,
  responseBody: DescField | undefined,
  options: EncodeOptions = {},
): ResponseEncoder {
  if (responseBody === undefined) {
    return {
      encode: getPathEncoders(options).encoderOf(output) as MessageEncoder,
      encodeLong: createLongMessageEncoder(output, getPathEncoders(options)),
      readRaw: isRawBody(output) ? (message) => readRawBody(toLocalMessage(message)) : undefined,
    };
  }
  return { ...createBodyEncoders(responseBody, options), readRaw: createRawReader(responseBody) };
}

function createBodyEncoders(field: DescField, options: EncodeOptions): Pick<ResponseEncoder, "encode" | "encodeLong"> {
  const get = createGetter(field);
  const encode = createContentEncoder(field, getPathEncoders(options)) as (value: unknown) => string;
  const piecesOf = createListPieces(field, getPathEncoders(options));
  const encodeLong: LongMessageEncoder = (message) => {
    const value = get(toLocalMessage(message));
    return isLongList(value) ? joinPieces(piecesOf(value)) : undefined;
  };
  return {
    encode(message) {
      const value = get(toLocalMessage(message));
      return value === undefined ? "null" : encode(value);
    },
    encodeLong: field.fieldKind === "list" ? encodeLong : undefined,
  };
}

function createRawReader(field: DescField): ResponseEncoder["readRaw"] {
  if (field.fieldKind !== "message" || !isRawBody(field.message)) {
    return undefined;
  }
  const get = createGetter(field);
  return (message) => readRawBody(get(toLocalMessage(message)) as LocalMessage | undefined);
}
