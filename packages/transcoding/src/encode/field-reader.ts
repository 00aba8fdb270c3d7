import type { DescMessage, Message } from "@bufbuild/protobuf";
import { formatFieldPath, lastField, requireFieldPath } from "../rules/field-path.js";
import { findQueryBinding } from "../rules/query-binding.js";
import { createGetter, type LocalMessage, toLocalMessage } from "../values/local-message.js";
import { createContentEncoder } from "./encode-field.js";
import { getPathEncoders } from "./encode-message.js";
import type { EncodeOptions } from "./encode-options.js";

/** Reads one field of a message as text. Returns undefined if it is unset or its text is empty. */
export type FieldReader = (message: Message) => string | undefined;

/**
 * Creates the reader for the field at `path`, such as `next_page_token` or `book.id`, for response headers. Numbers are decimal, enums are
 * spelled as in JSON, and timestamps are in ProtoJSON form. A field without presence is never unset, so a zero is read as `0`. Throws an
 * Error if the field does not exist or cannot be written as a single string.
 */
export function createFieldReader(desc: DescMessage, path: string, options: EncodeOptions = {}): FieldReader {
  const fields = requireFieldPath(desc, path);
  const field = lastField(fields);
  if (field.fieldKind === "list" || findQueryBinding(field).kind !== "value") {
    throw new Error(`${desc.typeName}: ${formatFieldPath(fields)} cannot be written as a single string`);
  }
  const getters = fields.map(createGetter);
  const encode = createContentEncoder(field, getPathEncoders(options)) as (value: unknown) => string;
  return (message) => {
    let value: unknown = toLocalMessage(message);
    for (const get of getters) {
      value = get(value as LocalMessage);
      if (value === undefined) {
        return undefined;
      }
    }
    return (typeof value === "string" ? value : readText(encode(value))) || undefined;
  };
}

function readText(json: string): string {
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}
