import type { Executor } from "@calltrack/postgres";
import type { Logger } from "pino";
import { noteKeyUse } from "./api-key-repository.js";

const WRITING_INTERVAL_MS = 60_000;

/** Takes down when keys were used last. */
export interface KeyUseLog {
  /** Notes that a key, by its id, is used now. */
  note(id: string): void;
  /** Writes what is still to be written, and no more from then on. */
  close(): Promise<void>;
}

/** Creates a log that writes once a minute, for all keys at once: what a request costs is a note in memory. */
export function createKeyUseLog(db: Executor, log: Logger): KeyUseLog {
  /** In milliseconds of the system's clock. */
  const uses = new Map<string, number>();
  /** The last write. One follows the other, so that `close` writes again what one in progress has failed to write. */
  let written = Promise.resolve();

  async function write(): Promise<void> {
    if (uses.size === 0) return;
    const unwritten = new Map(uses);
    uses.clear();
    try {
      await noteKeyUse(db, unwritten);
    } catch (error) {
      log.warn({ err: error }, "the last use of API keys could not be written down yet");
      for (const [id, at] of unwritten) if (!uses.has(id)) uses.set(id, at);
    }
  }

  function writeNext(): Promise<void> {
    written = written.then(write);
    return written;
  }

  const timer = setInterval(writeNext, WRITING_INTERVAL_MS).unref();
  return {
    note: (id) => uses.set(id, Date.now()),
    async close() {
      clearInterval(timer);
      await writeNext();
    },
  };
}
