import type { Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import type { Logger } from "pino";
import { prepareStatement } from "../database/prepared-statement.js";

const WRITE_INTERVAL_MS = 60_000;

const noteUseStatement = prepareStatement<{ uses: string }, object>((db, parameter) =>
  db
    .with("used", (cte) =>
      cte
        .selectFrom(
          sql<{ id: string; at: Date }>`json_to_recordset(${parameter("uses")}::json)`.as<"given">(
            sql`given (id uuid, at timestamptz)`,
          ),
        )
        .innerJoin("api_keys as key", "key.id", "given.id")
        .select(["key.id", "given.at"])
        // All servers lock rows in the same order, whatever the query plan, so that concurrent writes cannot deadlock.
        .orderBy("key.id")
        .forNoKeyUpdate("key"),
    )
    .updateTable("api_keys")
    .from("used")
    .set({ last_used_at: sql<Date>`greatest(last_used_at, used.at)` })
    .whereRef("api_keys.id", "=", "used.id"),
);

/** Creates a log of when each API key was last used. A request only updates a map in memory; the log writes the times of all keys once a minute. */
export function createKeyUseLog(db: Executor, log: Logger) {
  /** Last use by key id, in milliseconds since the Unix epoch. */
  const uses = new Map<string, number>();
  /** The last write. Writes are sequential so that `close` retries a failed one. */
  let written = Promise.resolve();

  async function write(): Promise<void> {
    if (uses.size === 0) return;
    const unwritten = new Map(uses);
    uses.clear();
    try {
      await saveKeyUses(db, unwritten);
    } catch (error) {
      log.warn({ err: error }, "the last use of API keys could not be recorded yet");
      for (const [id, at] of unwritten) if (!uses.has(id)) uses.set(id, at);
    }
  }

  function writeNext(): Promise<void> {
    written = written.then(write);
    return written;
  }

  const timer = setInterval(writeNext, WRITE_INTERVAL_MS).unref();
  return {
    record: (id: string) => uses.set(id, Date.now()),
    /** Writes the pending times and stops the timer. */
    async close() {
      clearInterval(timer);
      await writeNext();
    },
  };
}

/** Writes when keys were last used, in milliseconds since the Unix epoch by key id. Never moves a time backwards. */
export async function saveKeyUses(db: Executor, uses: ReadonlyMap<string, number>): Promise<void> {
  const rows = Array.from(uses, ([id, at]) => ({ id, at: new Date(at) }));
  await noteUseStatement(db, { uses: JSON.stringify(rows) });
}
