import { type Kysely, sql } from "kysely";
import type { Logger } from "pino";
import type { Schema } from "../tables/schema.js";

/** How many files of the write-ahead log (WAL), 16 MiB each, trigger a checkpoint. A checkpoint leaves at most half as many files. */
export const MAX_WAL_FILES = 8;

const CHECK_INTERVAL_MS = 60_000;

/**
 * Runs a checkpoint of an embedded database whenever its write-ahead log (WAL) has grown, because PGlite lacks PostgreSQL's checkpointer
 * process. Without checkpoints, the log would fill the disk and make crash recovery slow.
 *
 * @returns a function that stops scheduling checkpoints.
 */
export function scheduleCheckpoints(db: Kysely<Schema>, log: Logger): () => void {
  const timer = setInterval(() => {
    checkpointIfDue(db).catch((error: unknown) =>
      log.error({ err: error }, "a checkpoint of the embedded database failed: retrying within a minute"),
    );
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Runs a checkpoint if the write-ahead log has at least `MAX_WAL_FILES` files. Other statements wait for the checkpoint. */
export async function checkpointIfDue(db: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ files: number }>`select count(*)::integer as files from pg_ls_waldir()`.execute(db);
  if ((rows[0]?.files ?? 0) >= MAX_WAL_FILES) await sql`checkpoint`.execute(db);
}
