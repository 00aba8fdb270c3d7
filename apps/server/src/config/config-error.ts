/** An invalid environment variable. The message says which value to set. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";

  /** @param problems one sentence each. */
  constructor(readonly problems: readonly string[] | string) {
    super(typeof problems === "string" ? problems : formatProblems(problems));
  }
}

function formatProblems(problems: readonly string[]): string {
  if (problems.length === 1) return String(problems[0]);
  return `${problems.length} settings are invalid:\n${problems.map((each) => `  ${each}`).join("\n")}`;
}

/** Collects the errors of several settings, so that an operator sees all of them at once. */
export class ConfigErrors {
  readonly #problems: string[] = [];

  /** Returns what `read` returns. If that throws a ConfigError, the result must not be used: `throwIfAny` throws it later. */
  collect<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.#problems.push(...[error.problems].flat());
      return undefined as T;
    }
  }

  /** @throws ConfigError with all problems, if there are any. */
  throwIfAny(): void {
    if (this.#problems.length > 0) throw new ConfigError(this.#problems);
  }
}
