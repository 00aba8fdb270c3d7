import { create, type DescMessage, type Message } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { createRequestDecoder } from "../decode/decode-request.js";
import { DecodeState } from "../decode/decode-state.js";
import { createMessageOpener } from "../decode/field-setter.js";
import { requireCodings } from "../http/content-coding.js";
import type { HttpRequest } from "../http/http-request.js";
import { readChunks } from "../http/read-chunks.js";
import type { HttpRule } from "../rules/http-rule.js";
import { toLocalMessage } from "../values/local-message.js";
import type { EndpointOptions, PathDetails } from "./endpoint.js";
import { rejectViolations } from "./reject-violations.js";

/**
 * Creates the reader for a rule whose body is a `google.api.HttpBody`. It returns a stream of messages, each with one chunk of the body.
 * The first message is sent even if the body is empty; it also has the content type and the fields from path, query and headers. The reader
 * rejects with a `RequestError` if one of these is invalid.
 */
export function createUploadReader(rule: HttpRule, { json, validate }: EndpointOptions) {
  const decoder = createRequestDecoder(rule, json);
  const setData = createDataSetter(rule);
  return async (request: HttpRequest, context: HandlerContext, { target, values }: PathDetails) => {
    // Content codings decompress only complete bodies, not chunks.
    requireCodings(request.header("content-encoding"), []);
    const decoded = decoder.decode(values, target.query, undefined, request);
    if (decoded.violations.length > 0) await rejectViolations(decoded, context, validate);
    return createMessages(rule.rpc.input, decoded.message, setData, readChunks(request, context.signal));
  };
}

type DataSetter = (message: Message, data: Uint8Array) => unknown;

function createDataSetter({ body }: HttpRule): DataSetter {
  if (body.kind !== "field") return (message, data) => Object.assign(message, { data });
  const open = createMessageOpener(body.field);
  // Never records a violation: the decoder has already created the field in the first message, and the other messages are empty.
  const state = new DecodeState(false, false);
  return (message, data) => Object.assign(open(toLocalMessage(message), state), { data });
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
