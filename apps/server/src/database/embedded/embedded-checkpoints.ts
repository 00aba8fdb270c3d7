import { type Kysely, sql } from "kysely";
import type { Logger } from "pino";
import type { Schema } from "../tables/schema.js";

/** Write-ahead log files, of 16 MiB each, at which a checkpoint is due. A checkpoint leaves at most half as many. */
export const MAX_WAL_FILES = 8;

/** Bounds the files that PostgreSQL keeps after a checkpoint to use them again. */
export const WAL_SIZE_PARAMETERS: readonly string[] = ["-c", "min_wal_size=32MB", "-c", "max_wal_size=64MB"];

const CHECK_INTERVAL_MS = 60_000;

/**
 * Makes checkpoints of an embedded database when its write-ahead log has grown. PostgreSQL does that in a process of its own, which
 * the embedded database lacks: its log would grow until it is closed or the disk is full, and be read whole after a crash.
 *
 * @returns stops it.
 */
export function keepCheckpoints(db: Kysely<Schema>, log: Logger): () => void {
  const timer = setInterval(() => {
    checkpointIfDue(db).catch((error: unknown) =>
      log.error({ err: error }, "a checkpoint of the embedded database failed"),
    );
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Makes a checkpoint if the write-ahead log has `MAX_WAL_FILES`. Nothing else runs meanwhile. */
export async function checkpointIfDue(db: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ files: number }>`select count(*)::integer as files from pg_ls_waldir()`.execute(db);
  if ((rows[0]?.files ?? 0) >= MAX_WAL_FILES) await sql`checkpoint`.execute(db);
}
