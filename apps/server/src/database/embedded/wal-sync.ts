import fs from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * Group commit: syncs of the write-ahead log (WAL) that PostgreSQL asked for, deferred so that the commits of one turn of the
 * event loop share one.
 *
 * PostgreSQL takes a deferred sync for done. What it does next must therefore not reach the disk, or a caller, before the sync:
 * `DurableFiles` calls `settle` before it changes any other file, the driver awaits `shared` before it hands over an answer.
 */
export class WalSync {
  readonly #onFailure: (error: unknown) => never;
  readonly #unsynced = new Set<number>();
  #next: Promise<void> | undefined;

  /** @param onFailure ends the process: what was deferred may be lost, and a second sync would not tell. */
  constructor(onFailure: (error: unknown) => never) {
    this.#onFailure = onFailure;
  }

  /** Notes that the file behind this descriptor has to be synced. */
  defer(descriptor: number): void {
    this.#unsynced.add(descriptor);
  }

  /** Syncs what was deferred, now. The descriptors may be closed afterwards. */
  settle(): void {
    if (this.#unsynced.size === 0) return;
    try {
      // WAL files have their full size from the start, so that their metadata need not be written each time.
      for (const descriptor of this.#unsynced) fs.fdatasyncSync(descriptor);
    } catch (error) {
      this.#onFailure(error);
    }
    this.#unsynced.clear();
  }

  /** Resolves when everything deferred so far is on the disk: at once if nothing is, else at the end of this turn of the event loop. */
  async shared(): Promise<void> {
    if (this.#unsynced.size === 0) return;
    this.#next ??= nextTurn().then(() => {
      this.#next = undefined;
      this.settle();
    });
    await this.#next;
  }
}
