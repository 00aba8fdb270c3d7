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
import { requireValid } from "./require-valid.js";

/**
 * Reads a request as a stream of messages, each with a chunk of the body in its `google.api.HttpBody`. The first message also
 * has the content type and the fields of path, query and headers; it exists even if the body is empty. Rejects with a
 * `RequestError` before the first message.
 */
export type UploadReader = (
  request: HttpRequest,
  context: HandlerContext,
  details: PathDetails,
) => Promise<AsyncGenerator<Message, void>>;

/** Creates the reader of a rule whose body is a `google.api.HttpBody`. */
export function createUploadReader(rule: HttpRule, { json, validate }: EndpointOptions): UploadReader {
  const decoder = createRequestDecoder(rule, json);
  const setData = createDataSetter(rule);
  return async (request, context, { target, values }) => {
    // The codings decompress complete bodies only, not chunks.
    requireCodings(request.header("content-encoding") ?? "", []);
    const decoded = decoder.decode(values, target.query ?? "", undefined, request);
    const first = await requireValid(decoded, context, validate);
    return createMessages(rule.rpc.input, first, setData, readPieces(request, context.signal));
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
    setData(message, chunk);
    yield message;
    message = create(input);
  }
  if (message === first) yield first;
}

/** Yields the non-empty chunks of a body. Throws the reason of the signal when it aborts, even while waiting for a chunk. */
async function* readPieces(request: HttpRequest, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const chunks = readChunks(request);
  try {
    for (let result = await next(chunks, signal); !result.done; result = await next(chunks, signal)) {
      if (result.value.length > 0) yield result.value;
    }
  } finally {
    // Not awaited, because it waits for the pending read.
    chunks.return().catch(() => {});
  }
}

/** Reads the next chunk. Listens to the signal only while waiting, because an upload may have thousands of chunks. */
function next<T>(chunks: AsyncIterator<T>, signal: AbortSignal): Promise<IteratorResult<T>> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    chunks
      .next()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", onAbort));
  });
}
