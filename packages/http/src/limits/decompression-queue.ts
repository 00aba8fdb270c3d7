/** Each may become as large as is allowed, and what a compression bomb has become is garbage until it is collected. */
const MAX_AT_A_TIME = 2;

/** A body that waits. */
interface Waiting {
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Decompresses few bodies at a time, in the order in which they come, and bounds those that wait. */
export class DecompressionQueue {
  readonly #maxBytes: number;
  readonly #createError: () => Error;
  readonly #waiting = new Set<Waiting>();
  #waitingBytes = 0;
  #running = 0;

  /**
   * @param maxBytes the most bytes that may wait, all together.
   * @param createError is called for each body that is refused because too many bytes wait.
   */
  constructor(maxBytes: number, createError: () => Error) {
    this.#maxBytes = maxBytes;
    this.#createError = createError;
  }

  /** Runs the work when it is its turn. Beyond the bound, the largest body that waits is refused. */
  readonly schedule = async <T>(bytes: number, work: () => Promise<T>): Promise<T> => {
    if (this.#running < MAX_AT_A_TIME) this.#running++;
    else await this.#wait(bytes);
    try {
      return await work();
    } finally {
      this.#next();
    }
  };

  #wait(bytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.add({ bytes, resolve, reject });
      this.#waitingBytes += bytes;
      while (this.#waitingBytes > this.#maxBytes) this.#refuseLargest();
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

  #refuseLargest(): void {
    const largest = Array.from(this.#waiting).reduce((one, other) => (other.bytes > one.bytes ? other : one));
    this.#remove(largest);
    largest.reject(this.#createError());
  }

  #remove(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    this.#waitingBytes -= waiting.bytes;
  }
}
