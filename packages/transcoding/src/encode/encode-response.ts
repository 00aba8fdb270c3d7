import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { isRawBodyType, type RawBody, readRawBody } from "../values/raw-body.js";
import { createMessageFieldGetter, toUntypedMessage, type UntypedMessage } from "../values/untyped-message.js";
import { createFieldContentEncoder, createListPieceEncoder } from "./encode-field.js";
import {
  createLongMessageEncoder,
  getJsonBodyEncoders,
  type LongMessageEncoder,
  type MessageEncoder,
} from "./encode-message.js";
import type { EncodeOptions } from "./encode-options.js";
import { isLongList, joinResponsePieces } from "./sliced-list.js";

export interface ResponseEncoder {
  /** Returns the JSON text of the body. Throws an Error if ProtoJSON cannot represent a value, such as a timestamp out of range. */
  encode(message: Message): string;
  /** Encodes a body that contains a long list. Undefined if the body's type has no lists. */
  readonly encodeLong: LongMessageEncoder | undefined;
  /** Returns the `google.api.HttpBody` that is the body. Undefined if the body has another type. */
  readonly readRaw: ((message: Message) => RawBody) | undefined;
}

/**
 * Creates the encoder for the bodies of responses of type `output`. If `responseBody` is given, the body is only the value of that field: an array
 * for a repeated field, and null for an unset field with presence. The encoder omits fields that are sent as headers.
 */
export function createResponseEncoder(
  output: DescMessage,
  responseBody: DescField | undefined,
  options: EncodeOptions = {},
): ResponseEncoder {
  if (responseBody === undefined) {
    return {
      encode: getJsonBodyEncoders(options).encoderOf(output) as MessageEncoder,
      encodeLong: createLongMessageEncoder(output, getJsonBodyEncoders(options)),
      readRaw: isRawBodyType(output) ? (message) => readRawBody(toUntypedMessage(message)) : undefined,
    };
  }
  return { ...createBodyEncoders(responseBody, options), readRaw: createRawReader(responseBody) };
}

function createBodyEncoders(field: DescField, options: EncodeOptions): Pick<ResponseEncoder, "encode" | "encodeLong"> {
  const get = createMessageFieldGetter(field);
  const encode = createFieldContentEncoder(field, getJsonBodyEncoders(options)) as (value: unknown) => string;
  const piecesOf = createListPieceEncoder(field, getJsonBodyEncoders(options));
  const encodeLong: LongMessageEncoder = (message) => {
    const value = get(toUntypedMessage(message));
    return isLongList(value) ? joinResponsePieces(piecesOf(value)) : undefined;
  };
  return {
    encode(message) {
      const value = get(toUntypedMessage(message));
      return value === undefined ? "null" : encode(value);
    },
    encodeLong: field.fieldKind === "list" ? encodeLong : undefined,
  };
}

function createRawReader(field: DescField): ResponseEncoder["readRaw"] {
  if (field.fieldKind !== "message" || !isRawBodyType(field.message)) {
    return undefined;
  }
  const get = createMessageFieldGetter(field);
  return (message) => readRawBody(get(toUntypedMessage(message)) as UntypedMessage | undefined);
}
