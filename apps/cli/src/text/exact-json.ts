/** A number as it is written in JSON, which `JSON.stringify` writes unchanged. See ECMAScript's `JSON.rawJSON`. */
interface RawNumber {
  readonly rawJSON: string;
}

/** The types of TypeScript lack these parts of ECMAScript 2026. */
const { parse, rawJSON, isRawJSON } = JSON as unknown as {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
};

/**
 * Parses JSON without changing numbers: those that JavaScript would write otherwise, such as `9007199254740993` or `1.10`, stay as
 * they are written. Read them with `exactText` or `plainValue`.
 *
 * @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  return parse(text, (_, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source ? rawJSON(source) : value,
  );
}

/** Returns the text of a string, a number or a boolean of `parseExactJson`; undefined for other values. */
export function exactText(value: unknown): string | undefined {
  if (isRawJSON(value)) return value.rawJSON;
  return typeof value === "object" ? undefined : String(value);
}

/** Returns a value of `parseExactJson` as `JSON.parse` does. */
export function plainValue(value: unknown): unknown {
  return isRawJSON(value) ? Number(value.rawJSON) : value;
}
