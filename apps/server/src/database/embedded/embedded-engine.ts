import { PGlite } from "@electric-sql/pglite";
import { IN_MEMORY } from "../../config/database-location.js";
import {
  beginDatabaseCreation,
  finishDatabaseCreation,
  postgresFolderOf,
  prepareDataDirectory,
} from "./data-directory.js";
import { DURABLE_PARAMETERS, DurableFiles } from "./durable-files.js";
import { createCloseError, createCrashError, createOpenError } from "./embedded-failure.js";
import { exitOnCrash } from "./engine-crash.js";

/** PGlite's default parameter that turns off all syncs. */
const NO_SYNC = "-F";

/**
 * The size of PostgreSQL's cache, 128 MB by default. PGlite fills all of it with zeros when it starts, so it occupies memory from then on.
 * Pages outside of it are read from the operating system's file cache.
 */
const CACHE_PARAMETERS = ["-c", "shared_buffers=32MB"];

/** Limits the number of WAL files that PostgreSQL keeps for reuse after a checkpoint; see `checkpointIfDue`. */
const WAL_SIZE_PARAMETERS = ["-c", "min_wal_size=32MB", "-c", "max_wal_size=64MB"];

/** PostgreSQL, compiled to WebAssembly, in this thread. */
export class EmbeddedEngine {
  readonly #directory: string;
  readonly #onCrash: (error: unknown) => never;
  #pglite: PGlite | undefined;
  /** Undefined for a database in memory, and until the database is open. */
  #files: DurableFiles | undefined;
  /** The message of PostgreSQL's last fatal error. */
  #fatalError: string | undefined;

  /**
   * @param directory the data directory, locked by the caller, or `memory://`.
   * @param onCrash ends the thread, because PostgreSQL has crashed and must not continue. `reason` is for the operator.
   */
  constructor(directory: string, onCrash: (reason: Error) => never) {
    this.#directory = directory;
    this.#onCrash = (error) => onCrash(createCrashError(directory, error, this.#fatalError));
  }

  /** @throws UnusableDatabaseError if its files cannot be opened. */
  async open(): Promise<void> {
    const startParams = [...PGlite.defaultStartParams, ...CACHE_PARAMETERS, ...WAL_SIZE_PARAMETERS];
    if (this.#directory === IN_MEMORY) {
      this.#pglite = await PGlite.create(IN_MEMORY, { startParams, onStderr: this.#onStderr });
      exitOnCrash(this.#pglite.Module, this.#onCrash);
    } else {
      this.#pglite = await this.#openDirectory(startParams);
    }
  }

  async query(sql: string, parameters: readonly unknown[]): Promise<readonly unknown[]> {
    if (this.#pglite === undefined) throw new Error("the embedded database is not open");
    return (await this.#pglite.query(sql, [...parameters])).rows;
  }

  /** Resolves when everything committed so far would survive a power cut. */
  durable(): Promise<void> | undefined {
    return this.#files?.wal.flushDeferred();
  }

  /** @throws UnusableDatabaseError if PostgreSQL failed to close its files properly, which PGlite does not report. */
  async close(): Promise<void> {
    await this.#pglite?.close();
    if (this.#fatalError !== undefined) throw createCloseError(this.#directory, this.#fatalError);
  }

  async #openDirectory(defaults: readonly string[]): Promise<PGlite> {
    const startParams = [...defaults.filter((parameter) => parameter !== NO_SYNC), ...DURABLE_PARAMETERS];
    try {
      const isNew = prepareDataDirectory(this.#directory) !== "database";
      if (isNew) beginDatabaseCreation(this.#directory);
      const files = new DurableFiles(postgresFolderOf(this.#directory), this.#onCrash);
      this.#files = files;
      const pglite = await PGlite.create({ fs: files, startParams, onStderr: this.#onStderr });
      if (isNew) finishDatabaseCreation(this.#directory);
      return pglite;
    } catch (error) {
      throw createOpenError(this.#directory, this.#files?.causeOf(error) ?? error, this.#fatalError);
    }
  }

  /** Receives a line of PostgreSQL's log: only the log gives the reasons for fatal errors. Returns false so that PGlite does not print the line. */
  readonly #onStderr = (line: string): boolean => {
    this.#fatalError = /\b(?:FATAL|PANIC): +(.+)/.exec(line)?.[1] ?? this.#fatalError;
    return false;
  };
}
