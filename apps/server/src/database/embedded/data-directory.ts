import fs from "node:fs";
import { join } from "node:path";
import { UnusableDatabaseError } from "../../errors/unusable-database-error.js";
import { LOCK_FILES } from "./data-directory-lock.js";
import { syncDirectory, syncTree } from "./sync-tree.js";

/** The major version of PostgreSQL that PGlite contains. Its data files are incompatible with other versions. */
export const POSTGRES_MAJOR_VERSION = "18";

/** Marks a database whose creation has not finished, and that the next start creates again. */
const UNFINISHED_FILE = "server.unfinished";

/**
 * Files and folders that an empty directory may contain: those of the lock, and `lost+found` in the root of an ext4
 * disk.
 */
const IGNORED: ReadonlySet<string> = new Set([...LOCK_FILES, "lost+found"]);

/** Files and folders of every database, including folders that are empty. */
const REQUIRED: readonly string[] = [
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
];

/** The state of a usable data directory. An unfinished database was never used. */
export type DataDirectoryState = "empty" | "unfinished" | "database";

/**
 * Inspects a data directory, which need not exist.
 *
 * @throws UnusableDatabaseError if it contains other files, an incomplete database, or one of another PostgreSQL
 *   version.
 */
export function inspectDataDirectory(directory: string): DataDirectoryState {
  const names = contentsOf(directory);
  if (names.length === 0) return "empty";
  if (names.includes(UNFINISHED_FILE)) return "unfinished";
  if (!names.some((name) => REQUIRED.includes(name))) {
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
 * Prepares a data directory without a finished database for PGlite to create one. Call this with the directory locked,
 * and call `finishDatabaseCreation` when the database is created.
 */
export function beginDatabaseCreation(directory: string): void {
  const remains = contentsOf(directory).filter((name) => name !== UNFINISHED_FILE);
  fs.writeFileSync(
    join(directory, UNFINISHED_FILE),
    "A server is creating a database here. If none is running, the next server starts over.\n",
  );
  syncDirectory(directory);
  for (const name of remains) fs.rmSync(join(directory, name), { recursive: true, force: true });
}

/** Makes the files of a new database durable, and marks it as finished. */
export function finishDatabaseCreation(directory: string): void {
  syncTree(directory);
  fs.rmSync(join(directory, UNFINISHED_FILE));
  syncDirectory(directory);
}

function contentsOf(directory: string): string[] {
  if (!exists(directory)) return [];
  return fs.readdirSync(directory).filter((name) => !IGNORED.has(name));
}

/** Throws if permissions forbid the check. */
function exists(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Accepts a missing PG_VERSION: the check for missing files reports it. */
function requireVersion(directory: string): void {
  const file = join(directory, "PG_VERSION");
  const version = exists(file) ? fs.readFileSync(file, "utf8").trim() : POSTGRES_MAJOR_VERSION;
  if (version === POSTGRES_MAJOR_VERSION) return;
  const found = /^\d+$/.test(version) ? `was written by PostgreSQL ${version}` : "has a damaged PG_VERSION";
  throw new UnusableDatabaseError(
    `DATA_DIR ${directory} ${found}, and this release reads PostgreSQL ${POSTGRES_MAJOR_VERSION}: move the data with calltrack-server dump, of the release that wrote it, and restore (docs/backup.md)`,
  );
}
