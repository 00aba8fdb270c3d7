import fs from "node:fs";
import { join } from "node:path";
import { UnusableDatabaseError } from "../../errors/unusable-database-error.js";
import { createPrivateFolder, denyOthers } from "../../files/private-folder.js";
import { syncDirectory, syncTree } from "../../files/sync-tree.js";
import { SECRETS_KEY_FILES } from "../../secrets/secrets-key-files.js";
import { LOCK_FILES } from "./data-directory-lock.js";

/** The major version of PostgreSQL that PGlite contains. Its data files are incompatible with other versions. */
export const POSTGRES_MAJOR_VERSION = "18";

/** The folder for PostgreSQL's files in a data directory. Earlier releases kept these files in the data directory itself. */
const POSTGRES_FOLDER = "postgres";

/** The same folder while the files of an earlier release are moved into it. */
const MOVING_FOLDER = "postgres.moving";

/** Marks a database whose creation has not finished. The next start creates it again. */
const UNFINISHED_FILE = "server.unfinished";

/** The folder for the journal and the routing cache of phone calls. Servers on PostgreSQL have it too. */
export const TELEPHONY_FOLDER = "telephony";

/**
 * Files and folders that a data directory without a database may contain: those of the lock and of phone calls, the keys for secrets, and
 * `lost+found` in the root of an ext4 disk.
 */
const IGNORED: ReadonlySet<string> = new Set([
  ...LOCK_FILES,
  ...Object.values(SECRETS_KEY_FILES),
  TELEPHONY_FOLDER,
  "lost+found",
]);

/** Files and folders that every database has, including empty folders. */
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

export function postgresFolderOf(directory: string): string {
  return join(directory, POSTGRES_FOLDER);
}

/** Whether a data directory contains a database. Does not check that its files are complete. */
export function hasDatabase(directory: string): boolean {
  const has = (name: string) => fs.existsSync(join(directory, name));
  return !has(UNFINISHED_FILE) && [POSTGRES_FOLDER, MOVING_FOLDER, "PG_VERSION"].some(has);
}

/**
 * Inspects a data directory, which need not exist.
 *
 * @throws UnusableDatabaseError if it contains other files, an incomplete database, or one from another PostgreSQL version.
 */
export function inspectDataDirectory(directory: string): DataDirectoryState {
  const names = contentsOf(directory);
  if (names.length === 0) return "empty";
  if (names.includes(UNFINISHED_FILE)) return "unfinished";
  if (names.includes(MOVING_FOLDER)) return "database";
  const isInFolder = names.includes(POSTGRES_FOLDER);
  const isInDirectory = names.some((name) => REQUIRED.includes(name));
  if (isInFolder && isInDirectory) {
    throw new UnusableDatabaseError(
      `DATA_DIR ${directory} has two databases, one of them in its folder ${POSTGRES_FOLDER}: move one away, or set another DATA_DIR`,
    );
  }
  if (!isInFolder && !isInDirectory) {
    throw new UnusableDatabaseError(
      `DATA_DIR ${directory} contains other files (${names[0]}) and no database: set DATA_DIR to an empty or new folder`,
    );
  }
  requireCompleteDatabase(directory, isInFolder ? postgresFolderOf(directory) : directory);
  return "database";
}

/**
 * Inspects a data directory, and updates the layout from an earlier release: moves PostgreSQL's files from the data directory itself into
 * their folder. Finishes an interrupted move. Call this with the directory locked.
 *
 * @throws UnusableDatabaseError like `inspectDataDirectory`.
 */
export function prepareDataDirectory(directory: string): DataDirectoryState {
  const state = inspectDataDirectory(directory);
  if (state === "database" && !exists(postgresFolderOf(directory))) moveEarlierFiles(directory);
  return state;
}

/**
 * Prepares a data directory without a finished database for PGlite to create one. Call this with the directory locked, and
 * `finishDatabaseCreation` after the creation.
 */
export function beginDatabaseCreation(directory: string): void {
  const remains = contentsOf(directory).filter((name) => name !== UNFINISHED_FILE);
  fs.writeFileSync(
    join(directory, UNFINISHED_FILE),
    "A server is creating a database here. If none is running, the next server starts over.\n",
  );
  syncDirectory(directory);
  for (const name of remains) fs.rmSync(join(directory, name), { recursive: true, force: true });
  createPrivateFolder(postgresFolderOf(directory));
}

/** Makes the files of a new database durable, and marks it as finished. */
export function finishDatabaseCreation(directory: string): void {
  syncTree(postgresFolderOf(directory));
  syncDirectory(directory);
  fs.rmSync(join(directory, UNFINISHED_FILE));
  syncDirectory(directory);
}

function moveEarlierFiles(directory: string): void {
  const target = join(directory, MOVING_FOLDER);
  createPrivateFolder(target);
  // Sorted, to move PG_VERSION first: without it, earlier releases reject the folder.
  for (const name of contentsOf(directory).toSorted()) {
    if (name !== MOVING_FOLDER) fs.renameSync(join(directory, name), join(target, name));
  }
  denyOthers(target);
  syncDirectory(target);
  fs.renameSync(target, postgresFolderOf(directory));
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

function requireCompleteDatabase(directory: string, folder: string): void {
  requireVersion(directory, join(folder, "PG_VERSION"));
  const missing = REQUIRED.filter((name) => !exists(join(folder, name)));
  if (missing.length === 0) return;
  throw new UnusableDatabaseError(
    `DATA_DIR ${directory} contains only part of a database, without ${missing.join(", ")}: restore a whole backup, including empty folders, or set another DATA_DIR`,
  );
}

/** Accepts a missing PG_VERSION: the check for missing files reports it. */
function requireVersion(directory: string, file: string): void {
  const version = exists(file) ? fs.readFileSync(file, "utf8").trim() : POSTGRES_MAJOR_VERSION;
  if (version === POSTGRES_MAJOR_VERSION) return;
  const found = /^\d+$/.test(version) ? `was written by PostgreSQL ${version}` : "has a damaged PG_VERSION";
  throw new UnusableDatabaseError(
    `DATA_DIR ${directory} ${found}, and this release reads PostgreSQL ${POSTGRES_MAJOR_VERSION}: run calltrack-server dump with the release that wrote it, and restore the dump with this one (docs/backup.md)`,
  );
}
