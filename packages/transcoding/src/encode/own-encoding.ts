import type { DescField, Message } from "@bufbuild/protobuf";
import type { EncodeOptions } from "./encode-options.js";

/** The property of a response message that has an encoding of its own. */
export const OWN_ENCODING: unique symbol = Symbol("OwnEncoding");

/**
 * Writes a response message whose content is stored in another form, without making the message first. The result must be what the encoders would
 * write. A method returns undefined if the encoders must write the message, such as after it was read and may have been changed.
 */
export interface OwnEncoding {
  /** Writes the JSON of a field that is the body of a response: the field that `response_body` names. */
  encodeField(field: DescField, options: EncodeOptions): string | undefined;
  /** Writes the message in the binary format of protobuf. */
  encodeBinary(): Uint8Array<ArrayBuffer> | undefined;
}

/** Returns the message's own encoding; undefined if it has none. */
export function ownEncodingOf(message: Message): OwnEncoding | undefined {
  return (message as { readonly [OWN_ENCODING]?: OwnEncoding })[OWN_ENCODING];
}
