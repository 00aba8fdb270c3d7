const ENTRY_POINTS = [
  "_PostgresMainLoopOnce",
  "_PostgresMainLongJmp",
  "_PostgresSendReadyForQueryIfNecessary",
] as const;

/** PostgreSQL's exit status if a statement failed, but the engine can continue (`POSTGRES_MAIN_LONGJMP`). */
const STATEMENT_FAILED = 100;

/** The parts of PGlite's WebAssembly module that this module changes. */
export type EngineModule = Record<(typeof ENTRY_POINTS)[number], () => unknown>;

/**
 * Ends the process when PostgreSQL has crashed: after a WebAssembly trap, a FATAL error, or a PANIC, for example because the disk is full.
 * PGlite ignores these and calls PostgreSQL again in an endless loop, which blocks the process.
 *
 * @param onCrash ends the process; called with the error with which PostgreSQL exited.
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
