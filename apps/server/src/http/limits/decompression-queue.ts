import { SizeClasses } from "./size-classes.js";

/** Limits the memory of decompressed bodies: each may expand to the maximum size, and stays in memory until it is garbage-collected. */
const MAX_CONCURRENT = 2;

interface Waiting {
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Limits how many bodies are decompressed concurrently, and the total size of queued bodies. Bodies leave the queue in order of arrival. */
export class DecompressionQueue {
  readonly #maxBytes: number;
  readonly #createError: () => Error;
  readonly #waiting = new Set<Waiting>();
  readonly #waitingBySize = new SizeClasses<Waiting>();
  #queuedBytes = 0;
  #running = 0;

  /** `maxBytes` limits the total size of queued bodies. `createError` creates the error for a body that is rejected because the queue is full. */
  constructor(maxBytes: number, createError: () => Error) {
    this.#maxBytes = maxBytes;
    this.#createError = createError;
  }

  /** Runs `work` when its turn comes. If the queue is full, rejects a large queued body, possibly this one: none is more than twice as large. */
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
