import type { MessageInit } from "./intercept-method.js";
import type { RpcContext } from "./rpc-context.js";

/** Writes the messages of a stream, and its error, as chunks of a response body. */
export interface StreamChunkWriter {
  /** The Content-Type of the response. Valid once the first message has been written. */
  readonly contentType: string;
  /** Whether the request's `Accept` header determines the format. */
  readonly isNegotiated: boolean;
  message(message: MessageInit, first: boolean): string | Uint8Array;
  /** Returns the chunk for the error that ended the stream. Throws the error if the format cannot contain errors. */
  error(error: unknown, context: RpcContext): string;
  /** Returns the text after the last message or error; may be empty. `empty` is true if the stream had no message. */
  end(empty: boolean): string;
}

type Chunk = string | Uint8Array;
type ChunkResult = IteratorResult<Chunk, undefined>;

const DONE: ChunkResult = { done: true, value: undefined };

/**
 * The response body of a server stream. Reads each message only when the client is ready for it, so that a slow client slows down the handler
 * and memory use stays constant. An error after the first message becomes the last chunk. If the server stops reading the body early, the handler's
 * iteration ends.
 *
 * A class with a single asynchronous method, because streams can be idle for hours: each suspended function and closure takes memory. An async generator
 * would also wait for the pending chunk in `return`, even if the handler ignores the signal.
 */
export class StreamBody implements AsyncIterableIterator<Chunk, undefined> {
  readonly #messages: AsyncIterator<MessageInit>;
  readonly #context: RpcContext;
  readonly #writer: StreamChunkWriter;
  /** The first chunk, until it is read. */
  #ahead: ChunkResult | undefined;
  #isEmpty = true;
  #isClosed = false;

  private constructor(messages: AsyncIterable<MessageInit>, context: RpcContext, writer: StreamChunkWriter) {
    this.#messages = messages[Symbol.asyncIterator]();
    this.#context = context;
    this.#writer = writer;
  }

  /**
   * Resolves when the first message, or the end of an empty stream, is available. Rejects if the handler fails before the first message, so that the
   * response can have the HTTP status of the error.
   */
  static async open(
    messages: AsyncIterable<MessageInit>,
    context: RpcContext,
    writer: StreamChunkWriter,
  ): Promise<StreamBody> {
    const body = new StreamBody(messages, context, writer);
    body.#ahead = await body.#read();
    return body;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<ChunkResult> {
    const chunk = this.#ahead;
    this.#ahead = undefined;
    return chunk === undefined ? this.#read() : Promise.resolve(chunk);
  }

  async return(): Promise<ChunkResult> {
    this.#ahead = undefined;
    this.#close();
    return DONE;
  }

  /** Rejects only for an error before the first message, or if the format cannot contain errors. */
  async #read(): Promise<ChunkResult> {
    if (this.#isClosed) return DONE;
    const first = this.#isEmpty;
    try {
      const { done, value } = await this.#context.race(() => this.#messages.next());
      if (!done) {
        this.#isEmpty = false;
        return { done: false, value: this.#writer.message(value, first) };
      }
    } catch (error) {
      this.#close();
      if (first) throw error;
      return { done: false, value: this.#writer.error(error, this.#context) + this.#writer.end(false) };
    }
    this.#close();
    const end = this.#writer.end(first);
    return end === "" ? DONE : { done: false, value: end };
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#context.finish();
    // Does not await the handler, because a handler that ignores the signal would delay the response.
    this.#messages.return?.().catch(() => {});
  }
}
