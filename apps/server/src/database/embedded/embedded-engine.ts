import { PGlite } from "@electric-sql/pglite";
import { endProcess } from "../../errors/server-failure.js";
import { beginDatabaseCreation, finishDatabaseCreation, inspectDataDirectory } from "./data-directory.js";
import { DURABLE_PARAMETERS, DurableFiles } from "./durable-files.js";
import { WAL_SIZE_PARAMETERS } from "./embedded-checkpoints.js";
import { createCloseError, createCrashError, createOpenError, FatalErrorLog } from "./embedded-failure.js";
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

/** An embedded database, which opens at the first statement. */
export interface EmbeddedEngine {
  /** @throws UnusableDatabaseError if its files cannot be opened. */
  open(): Promise<PGlite>;
  /** Resolves when everything committed so far is durable, even after a power cut. */
  durable(): Promise<void>;
  /** @throws UnusableDatabaseError if PostgreSQL failed to close its files properly, which PGlite does not report. */
  requireClosed(): void;
}

/**
 * Creates an engine that runs PostgreSQL, compiled to WebAssembly, in this process. A crash of PostgreSQL ends the
 * process.
 *
 * @param directory the data directory, locked by the caller, or `memory://`.
 */
export function createEmbeddedEngine(directory: string): EmbeddedEngine {
  const fatalErrors = new FatalErrorLog();
  const onCrash = (error: unknown) => endProcess(createCrashError(directory, error, fatalErrors.last));
  const engine =
    directory === IN_MEMORY ? memoryEngine(fatalErrors, onCrash) : folderEngine(directory, fatalErrors, onCrash);
  return {
    ...engine,
    requireClosed() {
      if (fatalErrors.last !== undefined) throw createCloseError(directory, fatalErrors.last);
    },
  };
}

type OpenableEngine = Omit<EmbeddedEngine, "requireClosed">;

function memoryEngine({ onStderr }: FatalErrorLog, onCrash: (error: unknown) => never): OpenableEngine {
  return {
    async open() {
      const startParams = [...PGlite.defaultStartParams, ...CACHE_PARAMETERS, ...WAL_SIZE_PARAMETERS];
      const pglite = await PGlite.create(IN_MEMORY, { startParams, onStderr });
      exitOnCrash(pglite.Module, onCrash);
      return pglite;
    },
    durable: async () => {},
  };
}

function folderEngine(
  directory: string,
  fatalErrors: FatalErrorLog,
  onCrash: (error: unknown) => never,
): OpenableEngine {
  const files = new DurableFiles(directory, onCrash);
  const parameters = PGlite.defaultStartParams.filter((parameter) => parameter !== NO_SYNC);
  const startParams = [...parameters, ...CACHE_PARAMETERS, ...WAL_SIZE_PARAMETERS, ...DURABLE_PARAMETERS];
  return {
    async open() {
      try {
        const isNew = inspectDataDirectory(directory) !== "database";
        if (isNew) beginDatabaseCreation(directory);
        const pglite = await PGlite.create({ fs: files, startParams, onStderr: fatalErrors.onStderr });
        if (isNew) finishDatabaseCreation(directory);
        return pglite;
      } catch (error) {
        throw createOpenError(directory, files.causeOf(error), fatalErrors.last);
      }
    },
    durable: () => files.wal.flushDeferred(),
  };
}
