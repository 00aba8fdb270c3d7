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
 * Creates the reader of a rule whose body is a `google.api.HttpBody`, as a stream of messages with a chunk of the body each. The
 * first message also has the content type and the fields of path, query and headers; it exists even if the body is empty. The
 * reader rejects with a `RequestError` before the first message.
 */
export function createUploadReader(rule: HttpRule, { json, validate }: EndpointOptions) {
  const decoder = createRequestDecoder(rule, json);
  const setData = createDataSetter(rule);
  return async (request: HttpRequest, context: HandlerContext, { target, values }: PathDetails) => {
    // The codings decompress complete bodies only, not chunks.
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
  // Records nothing, because the decoder has already opened the first message, and the others are empty.
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
