const ENTRY_POINTS = [
  "_PostgresMainLoopOnce",
  "_PostgresMainLongJmp",
  "_PostgresSendReadyForQueryIfNecessary",
] as const;

/** The exit status with which PostgreSQL reports that a statement failed, but that PGlite can continue (`POSTGRES_MAIN_LONGJMP`). */
const STATEMENT_FAILED = 100;

/** The functions of PGlite's WebAssembly module that `exitOnEngineCrash` replaces. */
export type EngineModule = Record<(typeof ENTRY_POINTS)[number], () => unknown>;

/**
 * Detects crashes of PostgreSQL: WebAssembly traps, FATAL errors, and PANICs, for example because the disk is full. Without this function,
 * PGlite would ignore a crash and call PostgreSQL again in an endless loop, which blocks the process.
 *
 * @param onCrash called with the error with which PostgreSQL exited. It must end the process.
 */
export function exitOnEngineCrash(module: EngineModule, onCrash: (error: unknown) => never): void {
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
