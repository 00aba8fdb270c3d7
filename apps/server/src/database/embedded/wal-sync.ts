import fs from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * Group commit: defers PostgreSQL's syncs of the write-ahead log (WAL), so that all commits in one turn of the event loop share a sync.
 *
 * PostgreSQL considers a deferred sync completed. Its next changes must not reach the disk or a caller before the sync. `DurableFiles`
 * therefore calls `flush` before it changes any other file, and `serveEngine` awaits `flushDeferred` before it sends results.
 */
export class WalSync {
  readonly #onFailure: (error: unknown) => never;
  readonly #unsynced = new Set<number>();
  #next: Promise<void> | undefined;

  /** @param onFailure ends the process if a sync fails: deferred data may be lost, and another sync would not report that. */
  constructor(onFailure: (error: unknown) => never) {
    this.#onFailure = onFailure;
  }

  /** Marks an open file for the next sync. */
  defer(descriptor: number): void {
    this.#unsynced.add(descriptor);
  }

  /** Syncs the marked files now. They can be closed afterwards. */
  flush(): void {
    if (this.#unsynced.size === 0) return;
    try {
      // WAL files are preallocated, so only their data needs a sync.
      for (const descriptor of this.#unsynced) fs.fdatasyncSync(descriptor);
    } catch (error) {
      this.#onFailure(error);
    }
    this.#unsynced.clear();
  }

  /** Resolves when all deferred syncs are done: immediately if there are none, otherwise after this turn of the event loop. */
  async flushDeferred(): Promise<void> {
    if (this.#unsynced.size === 0) return;
    this.#next ??= nextTurn().then(() => {
      this.#next = undefined;
      this.flush();
    });
    await this.#next;
  }
}
