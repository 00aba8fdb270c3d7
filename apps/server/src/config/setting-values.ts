import { ConfigError } from "./config-error.js";

/** Reads an environment variable, or returns the default if it is unset. */
export type ReadVariable = (name: string, byDefault: string) => string;

const MAX_COUNT = 1_000_000;

const UNITS_MS = new Map([
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

/** Parses a setting with a fixed set of values. Throws a `ConfigError`. */
export function parseChoice<T extends string>(name: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((each) => each === text);
  if (choice !== undefined) return choice;
  const wanted = choices.length === 1 ? choices[0] : `one of ${choices.join(", ")}`;
  throw new ConfigError(`${name} must be ${wanted}, not ${JSON.stringify(text)}`);
}

/** Parses a number. Throws a `ConfigError`. */
export function parseCount(name: string, text: string, min: number): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= min && count <= MAX_COUNT) return count;
  throw new ConfigError(`${name} must be a number from ${min} to ${MAX_COUNT}, not ${JSON.stringify(text)}`);
}

/** Parses a duration such as `60s` to milliseconds. Throws a `ConfigError`. */
export function parseDuration(name: string, text: string, minMs = 0, maxMs = MAX_DURATION_MS): number {
  const [, count = "", unit = ""] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS_MS.get(unit) ?? Number.NaN);
  if (ms >= minMs && ms <= maxMs) return ms;
  const bounds = maxMs < MAX_DURATION_MS ? ` of ${minMs / 1000} s to ${maxMs / 1000} s` : "";
  throw new ConfigError(
    `${name} must be a time${bounds} such as 500ms, 60s, 5m, 12h or 30d, not ${JSON.stringify(text)}`,
  );
}

/** Parses a size such as `4MiB` to bytes. Throws a `ConfigError`. */
export function parseSize(name: string, text: string, min: number, max: number): number {
  const [, count = "", unit = ""] = /^(\d{1,9})(KiB|MiB|GiB)$/.exec(text) ?? [];
  const bytes = Number(count) * (UNITS_BYTES.get(unit) ?? Number.NaN);
  if (bytes >= min && bytes <= max) return bytes;
  const [from, to] = [min, max].map((each) => `${each / 1024}KiB`);
  throw new ConfigError(
    `${name} must be a size from ${from} to ${to}, such as 64KiB or 4MiB, not ${JSON.stringify(text)}`,
  );
}
