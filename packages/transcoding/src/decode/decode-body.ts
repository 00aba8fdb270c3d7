import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { hasCustomJsonRepresentation } from "@bufbuild/protobuf/wkt";
import type { RequestHeaders } from "../http/http-request.js";
import { RequestError } from "../http/request-error.js";
import { type BoundFields, createBoundFields, NO_BOUND_FIELDS } from "../rules/bound-fields.js";
import { findBodyMessageType, type HttpRule } from "../rules/http-rule.js";
import { isRawBodyType } from "../values/raw-body.js";
import { fieldAcceptsNull, type UntypedMessage } from "../values/untyped-message.js";
import { createBoundMessageDecoder } from "./decode-bound.js";
import { createFieldDecoder } from "./decode-field.js";
import type { DecodeState } from "./decode-state.js";
import { createMessageValueDecoder } from "./decode-value.js";
import type { FieldDecoder, MessageDecoders } from "./decoders.js";
import { createFieldMaskFiller } from "./field-mask-filler.js";
import { createNestedMessageGetter, type NestedMessageGetter } from "./field-setter.js";
import { JsonReader } from "./json-reader.js";

interface BodyDecoder {
  readonly kind: "json" | "raw";
  /** Reads a body into `message`. An empty JSON body counts as `{}`. Throws a `RequestError` with reason `BODY_MALFORMED` for a malformed body. */
  readonly decode: (body: Uint8Array, headers: RequestHeaders, message: UntypedMessage, state: DecodeState) => void;
}

/** Creates the decoder for a rule's request bodies. Returns undefined if the rule has no `body`. */
export function createBodyDecoder(rule: HttpRule, decoders: MessageDecoders): BodyDecoder | undefined {
  const { body, rpc } = rule;
  if (body.kind === "none") return undefined;
  if (isRawBodyType(findBodyMessageType(rule))) {
    return createRawDecoder(body.kind === "field" ? createNestedMessageGetter(body.field) : (message) => message);
  }
  return body.kind === "field"
    ? createJsonDecoder(rule, createSoleDecoder(body.field, rule, decoders), findEmptyMessage(body.field))
    : createJsonDecoder(rule, createWholeDecoder(rpc.input, createBoundFields(rule.pathFields), decoders));
}

/** Creates the decoder for JSON texts of a message type. Throws a `RequestError` with reason `BODY_MALFORMED` for a malformed or empty text. */
export function createJsonMessageDecoder(desc: DescMessage, decoders: MessageDecoders) {
  const decode = createWholeDecoder(desc, NO_BOUND_FIELDS, decoders);
  return (body: Uint8Array, message: UntypedMessage, state: DecodeState): void => {
    const reader = createReader(body, state);
    decode(reader, state, message);
    reader.readEnd();
  };
}

function createRawDecoder(open: NestedMessageGetter): BodyDecoder {
  return {
    kind: "raw",
    decode(data, headers, message, state) {
      Object.assign(open(message, state), { contentType: headers.header("content-type") ?? "", data });
    },
  };
}

function createJsonDecoder(rule: HttpRule, decode: FieldDecoder, openEmpty?: NestedMessageGetter): BodyDecoder {
  const fillMask = createFieldMaskFiller(rule);
  return {
    kind: "json",
    decode: (body, _, message, state) => {
      if (body.length === 0) {
        openEmpty?.(message, state);
        fillMask?.("{}", message);
        return;
      }
      const text = decodeUtf8(body);
      const reader = new JsonReader(text, (isRepeated) => state.countValue(isRepeated));
      decode(reader, state, message);
      reader.readEnd();
      fillMask?.(text, message);
    },
  };
}

/** Creates the decoder for `body: "*"`, where the body is the request message. The error for a body of the wrong JSON type names no field. */
function createWholeDecoder(desc: DescMessage, bound: BoundFields, decoders: MessageDecoders): FieldDecoder {
  if (hasCustomJsonRepresentation(desc)) {
    const decode = createMessageValueDecoder(desc, decoders);
    return (reader, state, message) => {
      Object.assign(message, decode(reader, state));
    };
  }
  const decoder = decoders.decoderOf(desc, bound);
  return (reader, state, message) => {
    if (reader.kind() !== "object") {
      reader.skipValue();
      reader.readEnd();
      throw new RequestError("BODY_MALFORMED", "the body must be a JSON object");
    }
    decoder.decode(reader, state, message);
  };
}

/** Creates the decoder for `body: "field"`, where the body is the value of one field. The paths of violations begin with the name of the field. */
function createSoleDecoder(field: DescField, { pathFields }: HttpRule, decoders: MessageDecoders): FieldDecoder {
  const bound: BoundFields | undefined = createBoundFields(pathFields).get(field);
  const decode =
    bound === undefined ? createFieldDecoder(field, decoders) : createBoundMessageDecoder(field, bound, decoders);
  const nullIsValue = fieldAcceptsNull(field);
  return (reader, state, message) => {
    state.path.push(field.name);
    if (reader.kind() === "null" && !nullIsValue) {
      state.readNull(reader);
    } else {
      decode(reader, state, message);
    }
    state.path.pop();
  };
}

/** Returns the function to call for an empty body, which sets a message field to an empty message. Undefined for other fields, which stay unset. */
function findEmptyMessage(field: DescField): NestedMessageGetter | undefined {
  return field.fieldKind === "message" && !hasCustomJsonRepresentation(field.message)
    ? createNestedMessageGetter(field)
    : undefined;
}

function createReader(body: Uint8Array, state: DecodeState): JsonReader {
  return new JsonReader(decodeUtf8(body), (isRepeated) => state.countValue(isRepeated));
}

// With ignoreBOM, the decoder keeps a byte order mark, so that `decodeUtf8` can reject it. JSON does not allow one.
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodeUtf8(body: Uint8Array): string {
  let text: string;
  try {
    text = UTF8.decode(body);
  } catch {
    throw new RequestError("BODY_MALFORMED", "the body must be valid UTF-8");
  }
  if (text.charCodeAt(0) === 0xfeff) {
    throw new RequestError("BODY_MALFORMED", "the body starts with a byte order mark: send UTF-8 without one");
  }
  return text;
}
