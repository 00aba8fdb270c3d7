import * as z from "zod/mini";

const MAX_COUNT = 1_000_000;

export const MS_BY_TIME_UNIT = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

const MAX_DURATION_MS = 3660 * 86_400_000;

const BYTES_BY_SIZE_UNIT = new Map([
  ["KiB", 1024],
  ["MiB", 1024 ** 2],
  ["GiB", 1024 ** 3],
]);

/**
 * Creates the error option of a schema. The message of the error repeats the rejected text.
 *
 * @param rule completes the sentence "The variable must …".
 */
export function createSchemaErrorOption(rule: string) {
  return { error: ({ input }: { readonly input?: unknown }) => `must ${rule}, not ${JSON.stringify(input)}` };
}

/**
 * Creates the schema of a setting that `parse` reads from the variable's text.
 *
 * @param parse returns undefined for an invalid text.
 * @param rule completes the sentence "The variable must …".
 * @param isSecret whether the error must not repeat the rejected text. Default: false.
 */
export function createParsingSchema<T>(parse: (text: string) => T | undefined, rule: string, isSecret = false) {
  const isValid = (text: string) => parse(text) !== undefined;
  return z.pipe(
    z.string().check(z.refine(isValid, isSecret ? `must ${rule}` : createSchemaErrorOption(rule))),
    z.transform((text: string) => parse(text) as T),
  );
}

/** Creates the schema of a setting that must be one of the given texts. */
export function createChoiceSchema<const T extends readonly string[]>(...values: T) {
  return z.enum(
    values,
    createSchemaErrorOption(values.length === 1 ? `be ${values[0]}` : `be one of ${values.join(", ")}`),
  );
}

/** Creates the schema of a setting that must be an integer from `min` to `max`. */
export function createCountSchema(min: number, max = MAX_COUNT) {
  const parse = (text: string) => (/^\d+$/.test(text) ? within(Number(text), min, max) : undefined);
  return createParsingSchema(parse, `be a number from ${min} to ${max}`);
}

/** Creates the schema of a duration such as `60s`. The parsed value is in milliseconds. */
export function createDurationSchema(minMs = 0, maxMs = MAX_DURATION_MS) {
  const [from, to] = [minMs, maxMs].map((each) => formatQuantity(each, MS_BY_TIME_UNIT));
  const parse = (text: string) => within(parseQuantity(text, MS_BY_TIME_UNIT), minMs, maxMs);
  return createParsingSchema(parse, `be a duration from ${from} to ${to}, such as 500ms, 60s, 5m, 12h or 30d`);
}

/** Creates the schema of a size such as `4MiB`. The parsed value, `min` and `max` are in bytes. */
export function createSizeSchema(min: number, max: number) {
  const [from, to] = [min, max].map((each) => formatQuantity(each, BYTES_BY_SIZE_UNIT));
  const parse = (text: string) => within(parseQuantity(text, BYTES_BY_SIZE_UNIT), min, max);
  return createParsingSchema(parse, `be a size from ${from} to ${to}, such as 64KiB or 4MiB`);
}

function parseQuantity(text: string, units: ReadonlyMap<string, number>): number {
  const [, count, unit = ""] = /^(\d{1,9})(\w+)$/.exec(text) ?? [];
  return Number(count) * (units.get(unit) ?? Number.NaN);
}

/** Formats a multiple of the smallest unit with the largest unit that needs no fraction, such as `400d`. */
function formatQuantity(value: number, units: ReadonlyMap<string, number>): string {
  const [unit = "", size = 1] = [...units].findLast(([, each]) => value % each === 0) ?? [];
  return `${value / size}${unit}`;
}

function within(value: number, min: number, max: number): number | undefined {
  return value >= min && value <= max ? value : undefined;
}
