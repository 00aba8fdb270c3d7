import { SizeClasses } from "./size-classes.js";

/**
 * The maximum number of concurrent decompressions. It is low to save memory: each body may expand to the maximum size, and stays in memory until it
 * is garbage-collected.
 */
const MAX_CONCURRENT = 2;

interface Waiting {
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Limits how many request bodies are decompressed concurrently, and the total size of waiting bodies. First in, first out. */
export class DecompressionQueue {
  readonly #maxBytes: number;
  readonly #createError: () => Error;
  readonly #waiting = new Set<Waiting>();
  readonly #waitingBySize = new SizeClasses<Waiting>();
  #queuedBytes = 0;
  #running = 0;

  /** `maxBytes` is the maximum total size of waiting bodies. `createError` creates the error for a body that exceeds it. */
  constructor(maxBytes: number, createError: () => Error) {
    this.#maxBytes = maxBytes;
    this.#createError = createError;
  }

  /**
   * Runs `work`, which decompresses a body of `bytes` bytes. Waiting bodies run in order of arrival. If the queue is full, rejects a waiting body at
   * least half as large as the largest one, possibly the new body.
   */
  readonly schedule = async <T>(bytes: number, work: () => Promise<T>): Promise<T> => {
    if (this.#running < MAX_CONCURRENT) this.#running++;
    else await this.#wait(bytes);
    try {
      return await work();
    } finally {
      this.#next();
    }
  };

  #wait(bytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = { bytes, resolve, reject };
      this.#waiting.add(waiting);
      this.#waitingBySize.place(waiting);
      this.#queuedBytes += bytes;
      while (this.#queuedBytes > this.#maxBytes) this.#refuseLarge();
    });
  }

  #next(): void {
    for (const first of this.#waiting) {
      this.#remove(first);
      first.resolve();
      return;
    }
    this.#running--;
  }

  #refuseLarge(): void {
    const large = this.#waitingBySize.findLarge() as Waiting;
    this.#remove(large);
    large.reject(this.#createError());
  }

  #remove(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    this.#waitingBySize.remove(waiting);
    this.#queuedBytes -= waiting.bytes;
  }
}
