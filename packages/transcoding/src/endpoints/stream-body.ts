import type { Message } from "@bufbuild/protobuf";
import type { RpcContext } from "./rpc-context.js";

/** Converts the records of a stream to chunks of a response body. */
export interface ChunkWriter {
  /** The content type; known once the first message has been written. */
  readonly contentType: string;
  /** Whether `Accept` chooses the format. */
  readonly isNegotiated: boolean;
  message(message: Message, first: boolean): string | Uint8Array;
  /** Throws if the format has no record for errors. */
  error(error: unknown, context: RpcContext): string;
  /** The text after all records; can be empty. */
  end(empty: boolean): string;
}

type Chunk = string | Uint8Array;

/**
 * Opens the body of a server stream. Each chunk is created on demand, so that a slow client slows down the handler, and memory use stays
 * constant. An error after the first message becomes the last record. Returning early ends the handler's iteration.
 *
 * Resolves when the first message or the end of the stream is available. Rejects if the handler fails before that, so that the response can
 * have the status of the error.
 */
export async function openStreamBody(
  messages: AsyncIterator<Message>,
  context: RpcContext,
  writer: ChunkWriter,
): Promise<AsyncIterableIterator<Chunk, undefined>> {
  let empty = true;
  let closed = false;
  const close = () => {
    if (closed) return;
    closed = true;
    context.finish();
    // Not awaited, because a handler that ignores the signal would delay the response.
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

/** Unlike that of an async generator, `return` does not wait for a pending chunk, because a handler may ignore the signal. */
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
