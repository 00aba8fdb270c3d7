import { PGlite } from "@electric-sql/pglite";
import { endProcess } from "../../errors/server-failure.js";
import {
  beginDatabaseCreation,
  finishDatabaseCreation,
  inspectDataDirectory,
  postgresFolderOf,
} from "./data-directory.js";
import { DURABLE_PARAMETERS, DurableFiles } from "./durable-files.js";
import { WAL_SIZE_PARAMETERS } from "./embedded-checkpoints.js";
import { createCloseError, createCrashError, createOpenError } from "./embedded-failure.js";
import { exitOnCrash } from "./engine-crash.js";

/** The directory of a database in memory, which is lost when the process ends. */
export const IN_MEMORY = "memory://";

/** PGlite's default parameter that turns off all syncs. */
const NO_SYNC = "-F";

/**
 * PostgreSQL's cache. PGlite writes zeros to all of it at the start, so it occupies memory from then on; by default it has 128 MB.
 * A page that it does not hold is read from the system's cache of the file.
 */
const CACHE_PARAMETERS = ["-c", "shared_buffers=32MB"];

/**
 * PostgreSQL, compiled to WebAssembly, in this process. It opens its database at the first statement. A crash of PostgreSQL ends the
 * process.
 */
export class EmbeddedEngine {
  readonly #directory: string;
  /** Undefined for a database in memory, and until the database is open. */
  #files: DurableFiles | undefined;
  /** PostgreSQL's message of its last fatal error. */
  #fatalError: string | undefined;

  /** @param directory the data directory, opened by the caller, or `memory://`. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** @throws UnusableDatabaseError if its files cannot be opened. */
  async open(): Promise<PGlite> {
    const startParams = [...PGlite.defaultStartParams, ...CACHE_PARAMETERS, ...WAL_SIZE_PARAMETERS];
    if (this.#directory !== IN_MEMORY) return this.#openDirectory(startParams);
    const pglite = await PGlite.create(IN_MEMORY, { startParams, onStderr: this.#onStderr });
    exitOnCrash(pglite.Module, this.#onCrash);
    return pglite;
  }

  /** Resolves when everything committed so far is durable, even after a power cut. */
  durable(): Promise<void> | undefined {
    return this.#files?.wal.flushDeferred();
  }

  /** @throws UnusableDatabaseError if PostgreSQL failed to close its files properly, which PGlite does not report. */
  requireClosed(): void {
    if (this.#fatalError !== undefined) throw createCloseError(this.#directory, this.#fatalError);
  }

  async #openDirectory(defaults: readonly string[]): Promise<PGlite> {
    const startParams = [...defaults.filter((parameter) => parameter !== NO_SYNC), ...DURABLE_PARAMETERS];
    try {
      const isNew = inspectDataDirectory(this.#directory) !== "database";
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

  /** Receives a line of PostgreSQL's log, which alone has the reasons of fatal errors. Returns false so that PGlite does not print it. */
  readonly #onStderr = (line: string): boolean => {
    this.#fatalError = /\b(?:FATAL|PANIC): +(.+)/.exec(line)?.[1] ?? this.#fatalError;
    return false;
  };

  readonly #onCrash = (error: unknown): never => endProcess(createCrashError(this.#directory, error, this.#fatalError));
}
