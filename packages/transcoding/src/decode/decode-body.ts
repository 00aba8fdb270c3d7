import type { DescField } from "@bufbuild/protobuf";
import { hasCustomJsonRepresentation } from "@bufbuild/protobuf/wkt";
import { RequestError } from "../responses/request-error.js";
import { type BoundFields, boundFields } from "../rules/bound-fields.js";
import type { HttpRule } from "../rules/http-rule.js";
import { type LocalMessage, takesNull } from "../values/local-message.js";
import { isRawBody, setRawBody } from "../values/raw-body.js";
import { createBoundMessageDecoder } from "./decode-bound.js";
import { createFieldDecoder, type FieldDecoder } from "./decode-field.js";
import type { MessageDecoders } from "./decode-message.js";
import type { DecodeState } from "./decode-state.js";
import { createMessageValueDecoder } from "./decode-value.js";
import { createFieldMaskFiller } from "./field-mask-filler.js";
import { createMessageOpener } from "./field-store.js";
import { JsonReader } from "./json-reader.js";

/** Sets the fields that the body binds. */
export interface BodyDecoder {
  readonly kind: "none" | "json" | "raw";
  /** No bytes count as `{}`. Throws a `RequestError` with reason `BODY_MALFORMED`. */
  readonly decode: (body: Uint8Array, contentType: string, message: LocalMessage, state: DecodeState) => void;
}

/** Creates the body decoder of a rule. */
export function createBodyDecoder(rule: HttpRule, decoders: MessageDecoders): BodyDecoder {
  const { body, rpc } = rule;
  if (body.kind === "none") {
    return { kind: "none", decode: () => {} };
  }
  if (body.kind === "message") {
    return isRawBody(rpc.input)
      ? createRawDecoder((message) => message)
      : createJsonDecoder(rule, createWholeDecoder(rule, decoders), () => {});
  }
  const { field } = body;
  if (field.fieldKind === "message" && isRawBody(field.message)) {
    return createRawDecoder(createMessageOpener(field));
  }
  return createJsonDecoder(rule, createSoleDecoder(field, rule, decoders), createEmptyHandler(field));
}

type EmptyHandler = (message: LocalMessage, state: DecodeState) => unknown;

type MessageOpener = (message: LocalMessage, state: DecodeState) => LocalMessage;

function createRawDecoder(open: MessageOpener): BodyDecoder {
  return {
    kind: "raw",
    decode: (data, contentType, message, state) => setRawBody(open(message, state), { contentType, data }),
  };
}

function createJsonDecoder(rule: HttpRule, decode: FieldDecoder, decodeEmpty: EmptyHandler): BodyDecoder {
  const fillMask = createFieldMaskFiller(rule);
  return {
    kind: "json",
    decode: (body, _, message, state) => {
      if (body.length === 0) {
        decodeEmpty(message, state);
        return;
      }
      const text = decodeUtf8(body);
      const reader = new JsonReader(text);
      decode(reader, state, message);
      reader.readEnd();
      fillMask?.(text, message);
    },
  };
}

/** The whole request message is the body, so that there is no field to name where it is no object. */
function createWholeDecoder({ rpc, pathFields }: HttpRule, decoders: MessageDecoders): FieldDecoder {
  if (hasCustomJsonRepresentation(rpc.input)) {
    const decode = createMessageValueDecoder(rpc.input, decoders);
    return (reader, state, message) => {
      Object.assign(message, decode(reader, state));
    };
  }
  const bound = boundFields(pathFields);
  const decoder = bound.size === 0 ? decoders.decoderOf(rpc.input) : decoders.createBoundDecoder(rpc.input, bound);
  return (reader, state, message) => {
    if (reader.kind() !== "object") {
      reader.skipValue();
      reader.readEnd();
      throw new RequestError("BODY_MALFORMED", "the body must be a JSON object");
    }
    decoder.decode(reader, state, message);
  };
}

/** One field is the body; violations name it as in any other message. */
function createSoleDecoder(field: DescField, { pathFields }: HttpRule, decoders: MessageDecoders): FieldDecoder {
  const bound: BoundFields | undefined = boundFields(pathFields).get(field);
  const decode =
    bound === undefined ? createFieldDecoder(field, decoders) : createBoundMessageDecoder(field, bound, decoders);
  const nullIsValue = takesNull(field);
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

/** An empty body sets a message; where `{}` would not do, it leaves the field unset. */
function createEmptyHandler(field: DescField): EmptyHandler {
  return field.fieldKind === "message" && !hasCustomJsonRepresentation(field.message)
    ? createMessageOpener(field)
    : () => {};
}

// Without ignoreBOM the decoder would swallow the mark and not show it.
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodeUtf8(body: Uint8Array): string {
  let text: string;
  try {
    text = UTF8.decode(body);
  } catch {
    throw new RequestError("BODY_MALFORMED", "the body is not valid UTF-8");
  }
  if (text.charCodeAt(0) === 0xfeff) {
    throw new RequestError("BODY_MALFORMED", "the body begins with a byte order mark; send UTF-8 without one");
  }
  return text;
}
