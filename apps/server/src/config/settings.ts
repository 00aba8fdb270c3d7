import { ConfigError } from "./config-error.js";

const MAX_COUNT = 1_000_000;

/** Units of time in milliseconds. */
export const UNITS_MS = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

const MAX_DURATION_MS = 3660 * 86_400_000;

const UNITS_BYTES = new Map([
  ["KiB", 1024],
  ["MiB", 1024 ** 2],
  ["GiB", 1024 ** 3],
]);

/**
 * The settings in environment variables. An empty variable counts as unset. Methods that parse a variable reject an invalid text and return
 * the default, so that an operator sees all problems at once.
 */
export class Settings {
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #problems: string[] = [];

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    this.#environment = environment;
  }

  /** Returns the text of a variable, or the default if it is unset. */
  text(name: string, byDefault = ""): string {
    return this.#environment[name] || byDefault;
  }

  /**
   * Parses a variable.
   *
   * @param parse returns undefined for an invalid text.
   * @param rule completes the sentence "The variable must …".
   */
  parse<T>(name: string, byDefault: string, parse: (text: string) => T | undefined, rule: string): T {
    const text = this.text(name, byDefault);
    const value = parse(text);
    if (value === undefined) this.reject(`${name} must ${rule}, not ${JSON.stringify(text)}`);
    return value ?? (parse(byDefault) as T);
  }

  /** Parses a variable with a fixed set of values. */
  choice<T extends string>(name: string, byDefault: T, choices: readonly T[]): T {
    const rule = choices.length === 1 ? `be ${choices[0]}` : `be one of ${choices.join(", ")}`;
    return this.parse(name, byDefault, (text) => choices.find((each) => each === text), rule);
  }

  /** Parses a number. */
  count(name: string, byDefault: number, min: number, max = MAX_COUNT): number {
    const parse = (text: string) => (/^\d+$/.test(text) ? within(Number(text), min, max) : undefined);
    return this.parse(name, String(byDefault), parse, `be a number from ${min} to ${max}`);
  }

  /** Parses a duration such as `60s` to milliseconds. */
  duration(name: string, byDefault: string, minMs = 0, maxMs = MAX_DURATION_MS): number {
    const bounds = maxMs < MAX_DURATION_MS ? ` of ${minMs / 1000} s to ${maxMs / 1000} s` : "";
    const parse = (text: string) => within(parseQuantity(text, UNITS_MS), minMs, maxMs);
    return this.parse(name, byDefault, parse, `be a time${bounds} such as 500ms, 60s, 5m, 12h or 30d`);
  }

  /** Parses a size such as `4MiB` to bytes. */
  size(name: string, byDefault: string, min: number, max: number): number {
    const [from, to] = [min, max].map((each) => `${each / 1024}KiB`);
    const parse = (text: string) => within(parseQuantity(text, UNITS_BYTES), min, max);
    return this.parse(name, byDefault, parse, `be a size from ${from} to ${to}, such as 64KiB or 4MiB`);
  }

  /** Rejects the first of these variables that is set. */
  requireUnset(names: readonly string[], reason: string): undefined {
    const needless = names.find((name) => this.text(name) !== "");
    if (needless !== undefined) this.reject(`${needless} must not be set ${reason}`);
  }

  /** @param problem one sentence, which begins with the name of the variable. */
  reject(problem: string): undefined {
    this.#problems.push(problem);
  }

  /** @throws ConfigError with all problems, if there are any. */
  requireValid(): void {
    const [problem, ...more] = this.#problems;
    if (problem === undefined) return;
    if (more.length === 0) throw new ConfigError(problem);
    const lines = this.#problems.map((each) => `  ${each}`).join("\n");
    throw new ConfigError(`${this.#problems.length} settings are invalid:\n${lines}`);
  }
}

function parseQuantity(text: string, units: ReadonlyMap<string, number>): number {
  const [, count, unit = ""] = /^(\d{1,9})(\w+)$/.exec(text) ?? [];
  return Number(count) * (units.get(unit) ?? Number.NaN);
}

function within(value: number, min: number, max: number): number | undefined {
  return value >= min && value <= max ? value : undefined;
}
