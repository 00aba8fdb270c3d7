import fs from "node:fs";
import { join } from "node:path";
import { UnusableDatabaseError } from "../../errors/unusable-database-error.js";
import { LOCK_FILES } from "./data-directory-lock.js";
import { syncDirectory, syncTree } from "./sync-tree.js";

/** The major version of PostgreSQL whose files this release reads and writes: that of PGlite. */
export const POSTGRES_MAJOR_VERSION = "18";

/** Says that the database in the folder is being made, and that an interrupted first start is to be repeated. */
const UNFINISHED_FILE = "server.unfinished";

/** Names that a folder may have in it and count as empty: those of the lock, and what ext4 makes in the root of a disk. */
const IGNORED: ReadonlySet<string> = new Set([...LOCK_FILES, "lost+found"]);

/** What every database has, also if it is an empty folder. */
const REQUIRED = [
  "PG_VERSION",
  "base",
  "global",
  "global/pg_control",
  "pg_commit_ts",
  "pg_dynshmem",
  "pg_logical",
  "pg_multixact",
  "pg_notify",
  "pg_replslot",
  "pg_serial",
  "pg_snapshots",
  "pg_stat",
  "pg_stat_tmp",
  "pg_subtrans",
  "pg_tblspc",
  "pg_twophase",
  "pg_wal",
  "pg_xact",
  "postgresql.conf",
] as const;

/** What is in a folder that can be used as a data directory. An unfinished database was never used. */
export type DataDirectoryState = "empty" | "unfinished" | "database";

/**
 * Finds out what is in a data directory, which need not exist.
 *
 * @throws UnusableDatabaseError if it has other contents, only a part of a database, or one of another version of PostgreSQL.
 */
export function inspectDataDirectory(directory: string): DataDirectoryState {
  const names = contentsOf(directory);
  if (names.length === 0) return "empty";
  if (names.includes(UNFINISHED_FILE)) return "unfinished";
  if (!names.some(isDatabasePart)) {
    throw new UnusableDatabaseError(
      `DATA_DIR ${directory} has other files in it (${names[0]}) and no database: set DATA_DIR to an empty or new folder`,
    );
  }
  requireVersion(directory);
  const missing = REQUIRED.filter((name) => !exists(join(directory, name)));
  if (missing.length > 0) {
    throw new UnusableDatabaseError(
      `DATA_DIR ${directory} has only a part of a database, without ${missing.join(", ")}: restore all of a backup, empty folders too, or set another DATA_DIR`,
    );
  }
  return "database";
}

/**
 * Prepares a data directory that is not a database yet for PGlite to make one in it. Call it with the folder locked, and
 * `finishDatabase` when the database is made.
 */
export function beginDatabase(directory: string): void {
  const remains = contentsOf(directory).filter((name) => name !== UNFINISHED_FILE);
  fs.writeFileSync(
    join(directory, UNFINISHED_FILE),
    "A server is creating a database here. If none is running, the next server starts over.\n",
  );
  syncDirectory(directory);
  for (const name of remains) fs.rmSync(join(directory, name), { recursive: true, force: true });
}

/** Makes the files of a new database durable, and its folder a database. */
export function finishDatabase(directory: string): void {
  syncTree(directory);
  fs.rmSync(join(directory, UNFINISHED_FILE));
  syncDirectory(directory);
}

function contentsOf(directory: string): string[] {
  if (!exists(directory)) return [];
  return fs.readdirSync(directory).filter((name) => !IGNORED.has(name));
}

/** Throws where it may not look. */
function exists(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isDatabasePart(name: string): boolean {
  return (REQUIRED as readonly string[]).includes(name);
}

/** A folder without a version lacks more than that, or has damaged files. */
function requireVersion(directory: string): void {
  const file = join(directory, "PG_VERSION");
  const version = exists(file) ? fs.readFileSync(file, "utf8").trim() : POSTGRES_MAJOR_VERSION;
  if (version === POSTGRES_MAJOR_VERSION) return;
  const found = /^\d+$/.test(version) ? `was written by PostgreSQL ${version}` : "has a damaged PG_VERSION";
  throw new UnusableDatabaseError(
    `DATA_DIR ${directory} ${found}, and this release reads PostgreSQL ${POSTGRES_MAJOR_VERSION}: move the data with calltrack-server dump, of the release that wrote it, and restore (docs/backup.md)`,
  );
}
