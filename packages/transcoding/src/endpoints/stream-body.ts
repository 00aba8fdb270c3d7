import type { Message } from "@bufbuild/protobuf";
import type { RpcContext } from "./rpc-context.js";

/** Writes the messages of a stream, and its error, as chunks of a response body. */
export interface StreamChunkWriter {
  /** The Content-Type of the response. Valid once the first message has been written. */
  readonly contentType: string;
  /** Whether the request's `Accept` header determines the format. */
  readonly isNegotiated: boolean;
  message(message: Message, first: boolean): string | Uint8Array;
  /** Returns the chunk for the error that ended the stream. Throws the error if the format cannot contain errors. */
  error(error: unknown, context: RpcContext): string;
  /** Returns the text after the last message or error; may be empty. `empty` is true if the stream had no message. */
  end(empty: boolean): string;
}

type Chunk = string | Uint8Array;

/**
 * Returns the response body of a server stream. Reads each message only when the client is ready for it, so that a slow client slows down the handler
 * and memory use stays constant. An error after the first message becomes the last chunk. If the server stops reading the body early, the handler's
 * iteration ends.
 *
 * Resolves when the first message, or the end of an empty stream, is available. Rejects if the handler fails before the first message, so that the
 * response can have the HTTP status of the error.
 */
export async function openStreamBody(
  messages: AsyncIterator<Message>,
  context: RpcContext,
  writer: StreamChunkWriter,
): Promise<AsyncIterableIterator<Chunk, undefined>> {
  let empty = true;
  let closed = false;
  const close = () => {
    if (closed) return;
    closed = true;
    context.finish();
    // Does not await the handler, because a handler that ignores the signal would delay the response.
    messages.return?.().catch(() => {});
  };
  const read = async (): Promise<IteratorResult<Chunk, undefined>> => {
    const { done, value } = await context.race(() => messages.next());
    const first = empty;
    if (!done) {
      empty = false;
      return { done: false, value: writer.message(value, first) };
    }
    close();
    const end = writer.end(first);
    return end === "" ? { done: true, value: undefined } : { done: false, value: end };
  };
  const next = async (): Promise<IteratorResult<Chunk, undefined>> => {
    if (closed) return { done: true, value: undefined };
    try {
      return await read();
    } catch (error) {
      close();
      return { done: false, value: writer.error(error, context) + writer.end(false) };
    }
  };
  try {
    return startedWith(await read(), next, close);
  } catch (error) {
    close();
    throw error;
  }
}

/** Creates an iterator whose `return`, unlike an async generator's, does not wait for a pending chunk, because a handler may ignore the signal. */
function startedWith(
  first: IteratorResult<Chunk, undefined>,
  next: () => Promise<IteratorResult<Chunk, undefined>>,
  close: () => void,
): AsyncIterableIterator<Chunk, undefined> {
  let ahead: IteratorResult<Chunk, undefined> | undefined = first;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const chunk = ahead;
      ahead = undefined;
      return chunk ?? next();
    },
    async return() {
      ahead = undefined;
      close();
      return { done: true, value: undefined };
    },
  };
}
