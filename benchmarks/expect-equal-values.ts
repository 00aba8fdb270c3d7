import { isDeepStrictEqual } from "node:util";

/** @throws Error with all values if they are not equal. */
export function expectEqualValues(what: string, values: readonly unknown[]): void {
  if (values.every((value) => isDeepStrictEqual(value, values[0]))) return;
  throw new Error(`${what}: the values differ:\n${values.map((each) => JSON.stringify(each)).join("\n")}`);
}
