import { openAsBlob } from "node:fs";
import { PGlite, type PGliteOptions } from "@electric-sql/pglite";
import { IN_MEMORY_DIRECTORY } from "../../config/database-location.js";
import {
  beginDatabaseCreation,
  finishDatabaseCreation,
  prepareDataDirectory,
  resolvePostgresFolder,
} from "./data-directory.js";
import { DURABLE_POSTGRES_PARAMETERS, DurableFileSystem } from "./durable-file-system.js";
import { createDatabaseCloseError, createDatabaseCrashError, createDatabaseOpenError } from "./embedded-failure.js";
import { exitOnEngineCrash } from "./engine-crash.js";
import { NEW_DATABASE_PATH } from "./engine-files.js";

/** One of PGlite's default parameters. It turns off fsync. */
const NO_SYNC = "-F";

/**
 * Reduces PostgreSQL's cache from its default size of 128 MB. PGlite fills the whole cache with zeros when it starts, so the cache occupies
 * memory from then on. Pages that are not in this cache are read from the operating system's file cache.
 */
const CACHE_PARAMETERS = ["-c", "shared_buffers=32MB"];

/** Limits the number of write-ahead log (WAL) files that PostgreSQL keeps for reuse after a checkpoint; see `checkpointIfDue`. */
const WAL_SIZE_PARAMETERS = ["-c", "min_wal_size=32MB", "-c", "max_wal_size=64MB"];

/** Runs PGlite, which is PostgreSQL compiled to WebAssembly, in the current thread. */
export class EmbeddedEngine {
  readonly #directory: string;
  readonly #onCrash: (error: unknown) => never;
  #pglite: PGlite | undefined;
  /** The file system of the database. Undefined for a database in memory, and before the database is opened. */
  #files: DurableFileSystem | undefined;
  /** The message of PostgreSQL's last FATAL or PANIC error; undefined if there was none. */
  #fatalError: string | undefined;

  /**
   * @param directory the data directory, locked by the caller, or `memory://`.
   * @param onCrash called when PostgreSQL has crashed. It must end the thread. The message of `reason` is for the operator.
   */
  constructor(directory: string, onCrash: (reason: Error) => never) {
    this.#directory = directory;
    this.#onCrash = (error) => onCrash(createDatabaseCrashError(directory, error, this.#fatalError));
  }

  /** @throws UnusableDatabaseError if the files of the database cannot be opened. */
  async open(): Promise<void> {
    const startParams = [...PGlite.defaultStartParams, ...CACHE_PARAMETERS, ...WAL_SIZE_PARAMETERS];
    if (this.#directory === IN_MEMORY_DIRECTORY) {
      const options = { startParams, onStderr: this.#onStderr, ...(await copyNewDatabase()) };
      this.#pglite = await PGlite.create(IN_MEMORY_DIRECTORY, options);
      exitOnEngineCrash(this.#pglite.Module, this.#onCrash);
    } else {
      this.#pglite = await this.#openDirectory(startParams);
    }
  }

  async query(sql: string, parameters: readonly unknown[]): Promise<readonly unknown[]> {
    if (this.#pglite === undefined) throw new Error("the embedded database is not open: call open first");
    return (await this.#pglite.query(sql, [...parameters])).rows;
  }

  /** Resolves when all changes committed so far would survive a power cut. Undefined for a database in memory. */
  durable(): Promise<void> | undefined {
    return this.#files?.wal.flushDeferred();
  }

  /** @throws UnusableDatabaseError if PostgreSQL did not close its files properly. PGlite itself does not report this. */
  async close(): Promise<void> {
    await this.#pglite?.close();
    if (this.#fatalError !== undefined) throw createDatabaseCloseError(this.#directory, this.#fatalError);
  }

  async #openDirectory(defaults: readonly string[]): Promise<PGlite> {
    const startParams = [...defaults.filter((parameter) => parameter !== NO_SYNC), ...DURABLE_POSTGRES_PARAMETERS];
    try {
      const isNew = prepareDataDirectory(this.#directory) !== "database";
      if (isNew) beginDatabaseCreation(this.#directory);
      const files = new DurableFileSystem(resolvePostgresFolder(this.#directory), this.#onCrash);
      this.#files = files;
      const origin = isNew ? await copyNewDatabase() : {};
      const pglite = await PGlite.create({ fs: files, startParams, onStderr: this.#onStderr, ...origin });
      if (isNew) finishDatabaseCreation(this.#directory);
      return pglite;
    } catch (error) {
      throw createDatabaseOpenError(this.#directory, this.#files?.causeOf(error) ?? error, this.#fatalError);
    }
  }

  /** Reads the reasons for fatal errors from PostgreSQL's log, one line at a time. Returns false so that PGlite does not print the line. */
  readonly #onStderr = (line: string): boolean => {
    this.#fatalError = /\b(?:FATAL|PANIC): +(.+)/.exec(line)?.[1] ?? this.#fatalError;
    return false;
  };
}

/** Returns the option that makes PGlite copy the files of an empty database instead of running initdb, which takes seconds. */
async function copyNewDatabase(): Promise<Pick<PGliteOptions, "loadDataDir">> {
  return { loadDataDir: await openAsBlob(NEW_DATABASE_PATH, { type: "application/gzip" }) };
}
