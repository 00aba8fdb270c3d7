import { create, type DescMessage, type Message } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { createRequestDecoder } from "../decode/decode-request.js";
import { DecodeState } from "../decode/decode-state.js";
import { createNestedMessageGetter } from "../decode/field-setter.js";
import { requireContentCodings } from "../http/content-coding.js";
import type { HttpRequest } from "../http/http-request.js";
import { readBodyChunks } from "../http/read-body-chunks.js";
import type { HttpRule } from "../rules/http-rule.js";
import { toUntypedMessage } from "../values/untyped-message.js";
import type { EndpointOptions, RoutedPath } from "./endpoint.js";
import { rejectViolations } from "./reject-violations.js";

/**
 * Creates the reader for a rule whose body is a `google.api.HttpBody`. The reader resolves to a stream of messages, each with one chunk of the body.
 * The first message also has the Content-Type and the fields from path, query and headers; it exists even if the body is empty. The reader rejects
 * with a `RequestError` if a field is invalid.
 */
export function createUploadReader(rule: HttpRule, { json, validate }: EndpointOptions) {
  const decoder = createRequestDecoder(rule, json);
  const setData = createDataSetter(rule);
  return async (request: HttpRequest, context: HandlerContext, { target, values }: RoutedPath) => {
    // Rejects a compressed body, because content codings decompress only complete bodies, not chunks.
    requireContentCodings(request.header("content-encoding"), []);
    const decoded = decoder.decode(values, target.query, undefined, request);
    if (decoded.violations.length > 0) await rejectViolations(decoded, context, validate);
    return createMessages(rule.rpc.input, decoded.message, setData, readBodyChunks(request, context.signal));
  };
}

type DataSetter = (message: Message, data: Uint8Array) => unknown;

function createDataSetter({ body }: HttpRule): DataSetter {
  if (body.kind !== "field") return (message, data) => Object.assign(message, { data });
  const open = createNestedMessageGetter(body.field);
  // The state stays without violations, because the field can always be set. The decoder has already created the field in the first message, and all
  // other messages are empty.
  const state = new DecodeState(false, false);
  return (message, data) => Object.assign(open(toUntypedMessage(message), state), { data });
}

async function* createMessages(
  input: DescMessage,
  first: Message,
  setData: DataSetter,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Message, void> {
  let message = first;
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue;
    setData(message, chunk);
    yield message;
    message = create(input);
  }
  if (message === first) yield first;
}
