import type { DescField } from "@bufbuild/protobuf";
import { scalarEquals } from "@bufbuild/protobuf/reflect";
import type { BoundFields } from "../rules/bound-fields.js";
import { createMessageFieldGetter, requireMessageType } from "../values/untyped-message.js";
import { createValueDecoder } from "./decode-value.js";
import type { FieldDecoder, MessageDecoders } from "./decoders.js";
import { createNestedMessageGetter } from "./field-setter.js";

/** Creates the decoder for a field that the URL path sets. The body may repeat the value but not contradict it (google/api/http.proto). */
export function createBoundFieldDecoder(field: DescField, decoders: MessageDecoders): FieldDecoder {
  const decode = createValueDecoder(field, decoders);
  const get = createMessageFieldGetter(field);
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

/** Creates the decoder for a message field that the URL path sets in part. It adds the body's fields to the message that the path created. */
export function createBoundMessageDecoder(
  field: DescField,
  bound: BoundFields,
  decoders: MessageDecoders,
): FieldDecoder {
  const decoder = decoders.decoderOf(requireMessageType(field), bound);
  const openMessage = createNestedMessageGetter(field);
  return (reader, state, message) => {
    if (reader.kind() === "object") {
      decoder.decode(reader, state, openMessage(message, state));
    } else {
      state.rejectValue(reader, "must be an object");
    }
  };
}
