import fs from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * Implements group commit: defers PostgreSQL's syncs of the write-ahead log (WAL), so that all commits in one turn of the event loop share one sync.
 *
 * PostgreSQL considers a deferred sync completed. Before the real sync, no other file may change on the disk, and no statement may return its result.
 * `DurableFileSystem` therefore calls `flush` before it changes any other file, and `serveEngineRequests` awaits `flushDeferred` before it replies.
 */
export class DeferredWalSync {
  readonly #onFailure: (error: unknown) => never;
  readonly #unsynced = new Set<number>();
  #next: Promise<void> | undefined;

  /**
   * @param onFailure called if a sync fails. It must end the process, because data may be lost, and another sync would not report the loss.
   */
  constructor(onFailure: (error: unknown) => never) {
    this.#onFailure = onFailure;
  }

  /** Defers the sync of an open file until the next `flush`. */
  defer(descriptor: number): void {
    this.#unsynced.add(descriptor);
  }

  /** Performs all deferred syncs now. The files can be closed afterwards. */
  flush(): void {
    if (this.#unsynced.size === 0) return;
    try {
      // `fdatasync` suffices: WAL files are preallocated, so only their data changes.
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
