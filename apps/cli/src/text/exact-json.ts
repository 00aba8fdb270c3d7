/** The text of a JSON number, which `JSON.stringify` writes unchanged. See ECMAScript's `JSON.rawJSON`. */
interface RawNumber {
  readonly rawJSON: string;
}

/** TypeScript's types lack these parts of ECMAScript 2026. */
const { parse, rawJSON, isRawJSON } = JSON as unknown as {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
};

/**
 * Parses JSON, and keeps the text of numbers that JavaScript would write differently, such as `9007199254740993` or `1.10`. To print such a
 * number, use `formatExactJsonValue`. To get the same value as from `JSON.parse`, use `convertToPlainJsonValue`.
 *
 * @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  return parse(text, (_, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source ? rawJSON(source) : value,
  );
}

/** Returns the text of a string, number or boolean from `parseExactJson`; undefined for other values. */
export function formatExactJsonValue(value: unknown): string | undefined {
  if (isRawJSON(value)) return value.rawJSON;
  return typeof value === "object" ? undefined : String(value);
}

/** Converts a value from `parseExactJson` to the one that `JSON.parse` returns. */
export function convertToPlainJsonValue(value: unknown): unknown {
  return isRawJSON(value) ? Number(value.rawJSON) : value;
}
