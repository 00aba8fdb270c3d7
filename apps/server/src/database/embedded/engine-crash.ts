/** The functions of PGlite's module that run PostgreSQL. */
const ENTRY_POINTS = [
  "_PostgresMainLoopOnce",
  "_PostgresMainLongJmp",
  "_PostgresSendReadyForQueryIfNecessary",
] as const;

/** The exit status of PostgreSQL after a statement failed but the engine can continue (`POSTGRES_MAIN_LONGJMP`). */
const STATEMENT_FAILED = 100;

/** The parts of PGlite's WebAssembly module that this module changes. */
export type EngineModule = Record<(typeof ENTRY_POINTS)[number], () => unknown>;

/**
 * Ends the process when PostgreSQL has crashed: after a PANIC, such as for a full disk, a FATAL error or a WebAssembly
 * trap. PGlite ignores these and calls PostgreSQL again in an endless loop, which blocks the process.
 *
 * @param onCrash ends the process; called with the error that PostgreSQL exited with.
 */
export function exitOnCrash(module: EngineModule, onCrash: (error: unknown) => never): void {
  for (const name of ENTRY_POINTS) {
    const enter = module[name];
    module[name] = () => {
      try {
        return enter();
      } catch (error) {
        if ((error as { readonly status?: unknown }).status !== STATEMENT_FAILED) onCrash(error);
        throw error;
      }
    };
  }
}
