import { type DescMessage, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { RequestError } from "../http/request-error.js";

/** Decodes a message from its binary form. Throws a `RequestError` for malformed bytes. */
export function decodeProto(desc: DescMessage, bytes: Uint8Array): Message {
  try {
    return fromBinary(desc, bytes);
  } catch {
    throw createMalformedProtoError(desc.typeName);
  }
}

/** Encodes a message in its binary form. */
export function encodeProto(desc: DescMessage, message: Message): Uint8Array<ArrayBuffer> {
  return toBinary(desc, message);
}

/** Creates the error for bytes that are not a message of this type. */
export function createMalformedProtoError(typeName: string): RequestError {
  return new RequestError("BODY_MALFORMED", `the message must be a ${typeName} in protobuf binary format`);
}
