import type { DescMessage, Message } from "@bufbuild/protobuf";
import type { EncodeOptions } from "./encode-options.js";

/** Reads one field of a message as text, undefined where it is unset or its text is empty. */
export type FieldReader = (message: Message) => string | undefined;

/**
 * Creates the reader of the field at `path`, such as `next_page_token` or `book.id`, for headers and for Location: a
 * number in decimal, an enum as it travels, a timestamp as in ProtoJSON. Throws an Error where the path leads to no field
 * or to one that has no single text.
 */
export function createFieldReader(_desc: DescMessage, _path: string, _options: EncodeOptions = {}): FieldReader {
  throw new Error("not implemented");
}
