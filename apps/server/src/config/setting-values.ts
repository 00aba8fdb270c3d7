import { ConfigError } from "./config-error.js";

/** Reads an environment variable that may be unset. */
export type ReadVariable = (name: string, byDefault: string) => string;

const LARGEST_COUNT = 1_000_000;

const UNITS_MS = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

const LONGEST_MS = 3660 * 86_400_000;

const UNITS_BYTES = new Map([
  ["KiB", 1024],
  ["MiB", 1024 ** 2],
  ["GiB", 1024 ** 3],
]);

/** The one of the choices that an environment variable has. Throws a `ConfigError`. */
export function parseChoice<T extends string>(name: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((each) => each === text);
  if (choice !== undefined) return choice;
  const wanted = choices.length === 1 ? choices[0] : `one of ${choices.join(", ")}`;
  throw new ConfigError(`${name} must be ${wanted}, not ${JSON.stringify(text)}`);
}

/** The number that an environment variable has. Throws a `ConfigError`. */
export function parseCount(name: string, text: string, least: number): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= least && count <= LARGEST_COUNT) return count;
  throw new ConfigError(`${name} must be a number from ${least} to ${LARGEST_COUNT}, not ${JSON.stringify(text)}`);
}

/** The milliseconds that an environment variable has, such as `60s`. Throws a `ConfigError`. */
export function parseDuration(name: string, text: string, leastMs = 0, mostMs = LONGEST_MS): number {
  const [, count = "", unit = ""] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS_MS.get(unit) ?? Number.NaN);
  if (ms >= leastMs && ms <= mostMs) return ms;
  const bounds = mostMs < LONGEST_MS ? ` of ${leastMs / 1000} s to ${mostMs / 1000} s` : "";
  throw new ConfigError(
    `${name} must be a time${bounds} such as 500ms, 60s, 5m, 12h or 30d, not ${JSON.stringify(text)}`,
  );
}

/** The bytes that an environment variable has, such as `4MiB`. Throws a `ConfigError`. */
export function parseSize(name: string, text: string, least: number, most: number): number {
  const [, count = "", unit = ""] = /^(\d{1,9})(KiB|MiB|GiB)$/.exec(text) ?? [];
  const bytes = Number(count) * (UNITS_BYTES.get(unit) ?? Number.NaN);
  if (bytes >= least && bytes <= most) return bytes;
  const [from, to] = [least, most].map((each) => `${each / 1024}KiB`);
  throw new ConfigError(
    `${name} must be a size from ${from} to ${to}, such as 64KiB or 4MiB, not ${JSON.stringify(text)}`,
  );
}
