import { type DescMessage, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { RequestError } from "../http/request-error.js";

/** Decodes a message from its binary form. Throws a `RequestError` for malformed bytes. */
export function decodeProto(desc: DescMessage, bytes: Uint8Array): Message {
  try {
    return fromBinary(desc, bytes);
  } catch {
    throw new RequestError("BODY_MALFORMED", `the message must be a ${desc.typeName} in protobuf binary format`);
  }
}

/** Encodes a message in its binary form. */
export function encodeProto(desc: DescMessage, message: Message): Uint8Array<ArrayBuffer> {
  return toBinary(desc, message);
}
