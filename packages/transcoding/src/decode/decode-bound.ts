import type { DescField } from "@bufbuild/protobuf";
import { scalarEquals } from "@bufbuild/protobuf/reflect";
import type { BoundFields } from "../rules/bound-fields.js";
import { createGetter, requireMessage } from "../values/local-message.js";
import { createValueDecoder } from "./decode-value.js";
import type { FieldDecoder, MessageDecoders } from "./decoders.js";
import { createMessageOpener } from "./field-setter.js";

/** The body may repeat a value from the URL path but not contradict it: `google/api/http.proto` gives each field one source. */
export function createBoundDecoder(field: DescField, decoders: MessageDecoders): FieldDecoder {
  const decode = createValueDecoder(field, decoders);
  const get = createGetter(field);
  const { scalar } = field;
  const equals = (one: unknown, other: unknown) =>
    scalar === undefined ? one === other : scalarEquals(scalar, one as never, other as never);
  return (reader, state, message) => {
    const value = decode(reader, state);
    if (value !== undefined && state.pathValid && !equals(value, get(message))) {
      state.violate("must equal the value in the path or be omitted");
    }
  };
}

/** For a message field that the URL path sets in part: adds the body's fields to the message that the path created. */
export function createBoundMessageDecoder(
  field: DescField,
  bound: BoundFields,
  decoders: MessageDecoders,
): FieldDecoder {
  const decoder = decoders.decoderOf(requireMessage(field), bound);
  const openMessage = createMessageOpener(field);
  return (reader, state, message) => {
    if (reader.kind() === "object") {
      decoder.decode(reader, state, openMessage(message, state));
    } else {
      state.rejectValue(reader, "must be an object");
    }
  };
}
