import { PGlite } from "@electric-sql/pglite";
import { endProcess } from "../../errors/server-failure.js";
import { beginDatabase, finishDatabase, inspectDataDirectory } from "./data-directory.js";
import { DURABLE_PARAMETERS, DurableFiles } from "./durable-files.js";
import { WAL_SIZE_PARAMETERS } from "./embedded-checkpoints.js";
import { closeFailure, crashFailure, EngineReasons, openFailure } from "./embedded-failure.js";
import { endOnCrash } from "./engine-crash.js";

/** Keeps nothing: the database ends with the process. */
export const IN_MEMORY = "memory://";

/** The flag by which PGlite switches all syncs off. */
const NO_SYNC = "-F";

/** An embedded database, which is opened at the first statement. */
export interface EmbeddedEngine {
  /** @throws UnusableDatabaseError if its files cannot be opened. */
  open(): Promise<PGlite>;
  /** Resolves when everything committed so far outlives a power cut. */
  durable(): Promise<void>;
  /** @throws UnusableDatabaseError if PostgreSQL failed to close its files properly, which PGlite does not tell. */
  requireClosed(): void;
}

/**
 * PostgreSQL compiled to WebAssembly, in this process. It ends the process if it crashes.
 *
 * @param directory where its files are, locked by the caller, or `memory://`.
 */
export function createEmbeddedEngine(directory: string): EmbeddedEngine {
  const reasons = new EngineReasons();
  const onCrash = (error: unknown) => endProcess(crashFailure(directory, error, reasons.last));
  const engine = directory === IN_MEMORY ? memoryEngine(reasons, onCrash) : folderEngine(directory, reasons, onCrash);
  return {
    ...engine,
    requireClosed() {
      if (reasons.last !== undefined) throw closeFailure(directory, reasons.last);
    },
  };
}

type OpenableEngine = Omit<EmbeddedEngine, "requireClosed">;

function memoryEngine({ onStderr }: EngineReasons, onCrash: (error: unknown) => never): OpenableEngine {
  return {
    async open() {
      const startParams = [...PGlite.defaultStartParams, ...WAL_SIZE_PARAMETERS];
      const pglite = await PGlite.create(IN_MEMORY, { startParams, onStderr });
      endOnCrash(pglite.Module, onCrash);
      return pglite;
    },
    durable: async () => {},
  };
}

function folderEngine(directory: string, reasons: EngineReasons, onCrash: (error: unknown) => never): OpenableEngine {
  const files = new DurableFiles(directory, onCrash);
  const parameters = PGlite.defaultStartParams.filter((parameter) => parameter !== NO_SYNC);
  const startParams = [...parameters, ...WAL_SIZE_PARAMETERS, ...DURABLE_PARAMETERS];
  return {
    async open() {
      try {
        const isNew = inspectDataDirectory(directory) !== "database";
        if (isNew) beginDatabase(directory);
        const pglite = await PGlite.create({ fs: files, startParams, onStderr: reasons.onStderr });
        if (isNew) finishDatabase(directory);
        return pglite;
      } catch (error) {
        throw openFailure(directory, files.causeOf(error), reasons.last);
      }
    },
    durable: () => files.wal.shared(),
  };
}
