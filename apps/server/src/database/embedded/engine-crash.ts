/** The functions by which PGlite enters PostgreSQL to run a statement. */
const ENTRIES = ["_PostgresMainLoopOnce", "_PostgresMainLongJmp", "_PostgresSendReadyForQueryIfNecessary"] as const;

/** The exit status by which PostgreSQL tells PGlite that a statement failed, and nothing worse (`POSTGRES_MAIN_LONGJMP`). */
const STATEMENT_FAILED = 100;

/** PGlite's WebAssembly module, as far as it is changed here. */
export type EngineModule = Record<(typeof ENTRIES)[number], () => unknown>;

/**
 * Ends the process when PostgreSQL has crashed: on a PANIC, as when the disk of the write-ahead log is full, a FATAL or a trap of
 * WebAssembly. PGlite ignores these and enters PostgreSQL again, for ever, so that nothing else in the process would ever run.
 *
 * @param onCrash is called with what PostgreSQL was left by, and ends the process.
 */
export function endOnCrash(module: EngineModule, onCrash: (error: unknown) => never): void {
  for (const name of ENTRIES) {
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
