import type { Message } from "@bufbuild/protobuf";
import type { CallContext } from "./call-context.js";

/** Converts the records of a stream to chunks. */
export interface ChunkWriter {
  /** The content type; known once the first message has been written. */
  readonly contentType: string;
  /** Whether `Accept` chooses the format. */
  readonly isNegotiated: boolean;
  message(message: Message, first: boolean): string | Uint8Array;
  /** Throws if the format has no record for errors. */
  error(error: unknown, context: CallContext): string;
  /** The text after all records; can be empty. */
  end(empty: boolean): string;
}

type Chunk = string | Uint8Array;

/**
 * The chunks of a server stream, each created on demand. A slow client therefore slows down the handler, and memory use stays
 * constant. An error after the first message becomes the last record. Returning early ends the handler's iteration.
 */
export class StreamBody implements AsyncIterableIterator<Chunk> {
  readonly #messages: AsyncIterator<Message>;
  readonly #context: CallContext;
  readonly #writer: ChunkWriter;
  #first: Chunk | undefined;
  #empty = true;
  #closed = false;

  /** @param messages the messages, which are not read before `open`. */
  constructor(messages: AsyncIterator<Message>, context: CallContext, writer: ChunkWriter) {
    this.#messages = messages;
    this.#context = context;
    this.#writer = writer;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Waits for the first message. Rejects if the handler fails before, so that the response can have the status of the error. */
  async open(): Promise<void> {
    try {
      this.#first = await this.#read();
    } catch (error) {
      this.#close();
      throw error;
    }
  }

  async next(): Promise<IteratorResult<Chunk, undefined>> {
    if (this.#first !== undefined) {
      const value = this.#first;
      this.#first = undefined;
      return { done: false, value };
    }
    if (this.#closed) return { done: true, value: undefined };
    try {
      const value = await this.#read();
      return value === undefined ? { done: true, value } : { done: false, value };
    } catch (error) {
      this.#close();
      return { done: false, value: this.#writer.error(error, this.#context) + this.#writer.end(false) };
    }
  }

  async return(): Promise<IteratorResult<Chunk, undefined>> {
    this.#first = undefined;
    this.#close();
    return { done: true, value: undefined };
  }

  /** The next chunk, undefined at the end. */
  async #read(): Promise<Chunk | undefined> {
    const result = await this.#context.race(() => this.#messages.next());
    const empty = this.#empty;
    if (result.done) {
      this.#close();
      return this.#writer.end(empty) || undefined;
    }
    this.#empty = false;
    return this.#writer.message(result.value, empty);
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#context.finish();
    // Not awaited, because a handler that ignores the signal would delay the response.
    this.#messages.return?.().catch(() => {});
  }
}
