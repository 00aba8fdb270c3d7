import fs from "node:fs";
import { join } from "node:path";
import { UnusableDatabaseError } from "../../errors/unusable-database-error.js";
import { fsyncDirectory, fsyncTree } from "../../files/fsync-tree.js";
import { createPrivateFolder, denyOtherUsers } from "../../files/private-folder.js";
import { SECRETS_KEY_FILE_NAMES } from "../../secrets/secrets-key-file-names.js";
import { LOCK_FILE_NAMES } from "./data-directory-lock.js";

/** The major version of PostgreSQL in PGlite. Other major versions cannot read its data files. */
export const POSTGRES_MAJOR_VERSION = "18";

/** The name of PostgreSQL's folder in a data directory. In earlier releases, its files were in the data directory itself. */
const POSTGRES_FOLDER = "postgres";

/** The name of PostgreSQL's folder while the files of an earlier release are being moved into it. */
const MOVING_FOLDER = "postgres.moving";

/** The name of the file that marks a database whose creation has not finished. The next start creates such a database again. */
const UNFINISHED_FILE = "server.unfinished";

/** The name of the folder for the journal and the routing cache of phone calls. Servers on PostgreSQL use this folder too. */
export const TELEPHONY_FOLDER = "telephony";

/**
 * The files and folders that a data directory without a database may contain: lock files, key files, the telephony folder, and `lost+found`
 * in the root of an ext4 disk.
 */
const IGNORED: ReadonlySet<string> = new Set([
  ...LOCK_FILE_NAMES,
  ...Object.values(SECRETS_KEY_FILE_NAMES),
  TELEPHONY_FOLDER,
  "lost+found",
]);

/** The files and folders that exist in the folder of every PostgreSQL database. Some of the folders are empty. */
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

/** The content of a usable data directory. `unfinished` is a database whose creation has not finished; no server has used it. */
export type DataDirectoryState = "empty" | "unfinished" | "database";

export function getPostgresFolder(directory: string): string {
  return join(directory, POSTGRES_FOLDER);
}

/** Returns the existing PostgreSQL folder of a data directory. If that folder is a link, for example to another disk, returns the folder that it names. */
export function resolvePostgresFolder(directory: string): string {
  return fs.realpathSync(getPostgresFolder(directory));
}

/** Whether the PostgreSQL folder of a data directory is a link. */
export function isPostgresFolderLink(directory: string): boolean {
  return fs.lstatSync(getPostgresFolder(directory), { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Whether a data directory contains a database. Does not check whether the files of the database are complete. */
export function hasDatabase(directory: string): boolean {
  const has = (name: string) => fs.existsSync(join(directory, name));
  return !has(UNFINISHED_FILE) && [POSTGRES_FOLDER, MOVING_FOLDER, "PG_VERSION"].some(has);
}

/**
 * Returns the state of a data directory. The directory need not exist.
 *
 * @throws UnusableDatabaseError if the directory contains other files, an incomplete database, or a database from another PostgreSQL version.
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
      `DATA_DIR ${directory} contains two databases, one of them in the folder ${POSTGRES_FOLDER}: move one of the databases away, or set another DATA_DIR`,
    );
  }
  if (!isInFolder && !isInDirectory) {
    throw new UnusableDatabaseError(
      `DATA_DIR ${directory} contains files (${names[0]}), but no database: set DATA_DIR to an empty or new folder`,
    );
  }
  requireCompleteDatabase(directory, isInFolder ? getPostgresFolder(directory) : directory);
  return "database";
}

/**
 * Returns the state of a data directory. If its layout is from an earlier release, first moves PostgreSQL's files from the data directory into their
 * folder, or finishes an interrupted move. The caller must have locked the directory.
 *
 * @throws UnusableDatabaseError if the directory is unusable; see `inspectDataDirectory`.
 */
export function prepareDataDirectory(directory: string): DataDirectoryState {
  const state = inspectDataDirectory(directory);
  if (state === "database" && !exists(getPostgresFolder(directory))) moveEarlierFiles(directory);
  return state;
}

/**
 * Prepares a data directory without a finished database, so that PGlite can create a database. The caller must have locked the directory, and
 * must call `finishDatabaseCreation` after the creation.
 */
export function beginDatabaseCreation(directory: string): void {
  const remains = contentsOf(directory).filter((name) => name !== UNFINISHED_FILE);
  fs.writeFileSync(
    join(directory, UNFINISHED_FILE),
    "A server is creating a database in this folder. If no server is running, the next server creates the database again.\n",
  );
  fsyncDirectory(directory);
  for (const name of remains) fs.rmSync(join(directory, name), { recursive: true, force: true });
  createPrivateFolder(getPostgresFolder(directory));
}

/** Makes the files of a new database durable, and marks it as finished. */
export function finishDatabaseCreation(directory: string): void {
  fsyncTree(getPostgresFolder(directory));
  fsyncDirectory(directory);
  fs.rmSync(join(directory, UNFINISHED_FILE));
  fsyncDirectory(directory);
}

function moveEarlierFiles(directory: string): void {
  const target = join(directory, MOVING_FOLDER);
  createPrivateFolder(target);
  // Sorts the names, so that PG_VERSION is moved first. Without this file, earlier releases reject the data directory.
  for (const name of contentsOf(directory).toSorted()) {
    if (name !== MOVING_FOLDER) fs.renameSync(join(directory, name), join(target, name));
  }
  denyOtherUsers(target);
  fsyncDirectory(target);
  fs.renameSync(target, getPostgresFolder(directory));
  fsyncDirectory(directory);
}

function contentsOf(directory: string): string[] {
  if (!exists(directory)) return [];
  return fs.readdirSync(directory).filter((name) => !IGNORED.has(name));
}

/** Unlike `fs.existsSync`, throws an error if permissions forbid the check. */
function exists(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function requireCompleteDatabase(directory: string, folder: string): void {
  requireVersion(directory, join(folder, "PG_VERSION"));
  const missing = REQUIRED.filter((name) => !exists(join(folder, name)));
  if (missing.length === 0) return;
  if (missing.length === REQUIRED.length && isPostgresFolderLink(directory)) {
    throw new UnusableDatabaseError(
      `DATA_DIR ${directory} contains the link ${POSTGRES_FOLDER}, which leads to no database: mount its disk, or let the link lead to the folder of the database`,
    );
  }
  throw new UnusableDatabaseError(
    `DATA_DIR ${directory} contains an incomplete database, which lacks ${missing.join(", ")}: restore a complete backup, including empty folders, or set another DATA_DIR`,
  );
}

/** Accepts a missing PG_VERSION, because `requireCompleteDatabase` reports missing files. */
function requireVersion(directory: string, file: string): void {
  const version = exists(file) ? fs.readFileSync(file, "utf8").trim() : POSTGRES_MAJOR_VERSION;
  if (version === POSTGRES_MAJOR_VERSION) return;
  if (!/^\d+$/.test(version)) {
    throw new UnusableDatabaseError(
      `DATA_DIR ${directory} has a damaged file PG_VERSION: restore a backup (docs/backup.md), or set another DATA_DIR`,
    );
  }
  throw new UnusableDatabaseError(
    `DATA_DIR ${directory} was written by PostgreSQL ${version}, and this release reads PostgreSQL ${POSTGRES_MAJOR_VERSION}: run calltrack-server dump with the release that wrote the database, and calltrack-server restore with this release (docs/backup.md)`,
  );
}
