import type { Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import type { Logger } from "pino";
import { prepareStatement } from "../storage/prepared-statement.js";

const WRITING_INTERVAL_MS = 60_000;

/** See `noteKeyUse`. */
const noteUseStatement = prepareStatement<{ uses: string }, object>((db, parameter) =>
  db
    .updateTable("api_keys")
    .from(
      sql<{ id: string; at: Date }>`json_to_recordset(${parameter("uses")}::json)`.as<"used">(
        sql`used (id uuid, at timestamptz)`,
      ),
    )
    .set({ last_used_at: sql<Date>`greatest(last_used_at, used.at)` })
    .whereRef("api_keys.id", "=", "used.id"),
);

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
      log.warn({ err: error }, "the last use of API keys could not be recorded yet");
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

/**
 * Takes down when keys were used last: milliseconds of the system's clock, by their ids. A time before the one that is known
 * changes nothing.
 */
export async function noteKeyUse(db: Executor, uses: ReadonlyMap<string, number>): Promise<void> {
  // In one order everywhere, so that servers that do this at the same moment wait for each other and do not lock each other out.
  const ordered = [...uses].toSorted(([one], [other]) => (one < other ? -1 : 1));
  await noteUseStatement(db, { uses: JSON.stringify(ordered.map(([id, at]) => ({ id, at: new Date(at) }))) });
}
