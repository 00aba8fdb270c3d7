import type { DescMessage } from "@bufbuild/protobuf";
import { type Any, anyUnpack, hasCustomJsonRepresentation } from "@bufbuild/protobuf/wkt";
import type { MessageEncoders, ValueEncoder } from "./encoders.js";

/** Creates the encoder for `google.protobuf.Any`. It throws an Error if the content's type is not in the registry. */
export function createAnyEncoder(encoders: MessageEncoders): ValueEncoder {
  return (any: Any) => {
    if (any.typeUrl === "") {
      return "{}";
    }
    const { registry } = encoders.options;
    const message = registry === undefined ? undefined : anyUnpack(any, registry);
    const desc = message === undefined ? undefined : registry?.getMessage(message.$typeName);
    if (message === undefined || desc === undefined) {
      throw new Error(`google.protobuf.Any: the type ${any.typeUrl} is not in the registry`);
    }
    return formatAnyJson(any.typeUrl, desc, encoders.encoderOf(desc)(message as never));
  };
}

/** Returns the JSON text of an `Any` that contains a message of type `desc`. `content` is the JSON text of that message. */
export function formatAnyJson(typeUrl: string, desc: DescMessage, content: string): string {
  const type = `{"@type":${JSON.stringify(typeUrl)}`;
  if (hasCustomJsonRepresentation(desc)) {
    return `${type},"value":${content}}`;
  }
  return content === "{}" ? `${type}}` : `${type},${content.slice(1)}`;
}
