import { type Kysely, sql } from "kysely";
import type { Logger } from "pino";
import type { Schema } from "../tables/schema.js";

/** Number of WAL files, 16 MiB each, that triggers a checkpoint. A checkpoint leaves at most half as many. */
export const MAX_WAL_FILES = 8;

const CHECK_INTERVAL_MS = 60_000;

/**
 * Runs checkpoints of an embedded database when its write-ahead log (WAL) has grown, because PGlite lacks PostgreSQL's checkpointer process.
 * Without checkpoints, the log would fill the disk and make crash recovery slow.
 *
 * @returns a function that stops the checks.
 */
export function scheduleCheckpoints(db: Kysely<Schema>, log: Logger): () => void {
  const timer = setInterval(() => {
    checkpointIfDue(db).catch((error: unknown) =>
      log.error({ err: error }, "a checkpoint of the embedded database failed"),
    );
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Runs a checkpoint if the log has at least `MAX_WAL_FILES` files. Meanwhile, no other statement runs. */
export async function checkpointIfDue(db: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ files: number }>`select count(*)::integer as files from pg_ls_waldir()`.execute(db);
  if ((rows[0]?.files ?? 0) >= MAX_WAL_FILES) await sql`checkpoint`.execute(db);
}
