import type { DescMessage, Message } from "@bufbuild/protobuf";
import { formatFieldPath, getLastField, requireFieldPath } from "../rules/field-path.js";
import { findQueryBinding } from "../rules/query-binding.js";
import { createMessageFieldGetter, toUntypedMessage, type UntypedMessage } from "../values/untyped-message.js";
import { createFieldContentEncoder } from "./encode-field.js";
import { getJsonBodyEncoders } from "./encode-message.js";
import type { EncodeOptions } from "./encode-options.js";

/** Returns the value of a field in a message as text. Undefined if the field is unset or the text is empty. */
export type FieldReader = (message: Message) => string | undefined;

/**
 * Creates the reader for the field at `path`, such as `next_page_token` or `book.id`, for response headers. It writes numbers in decimal, enums as in
 * JSON, and timestamps in ProtoJSON form. It returns `0` for a zero, because a field without presence is never unset. Throws an Error if the field
 * does not exist or cannot be written as a single string.
 */
export function createFieldReader(desc: DescMessage, path: string, options: EncodeOptions = {}): FieldReader {
  const fields = requireFieldPath(desc, path);
  const field = getLastField(fields);
  if (field.fieldKind === "list" || findQueryBinding(field).kind !== "value") {
    throw new Error(`${desc.typeName}: ${formatFieldPath(fields)} cannot be written as a single string`);
  }
  const getters = fields.map(createMessageFieldGetter);
  const encode = createFieldContentEncoder(field, getJsonBodyEncoders(options)) as (value: unknown) => string;
  return (message) => {
    let value: unknown = toUntypedMessage(message);
    for (const get of getters) {
      value = get(value as UntypedMessage);
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
