import { isDeepStrictEqual } from "node:util";

/** @throws Error that shows the values if they are not all equal. */
export function expectSame(what: string, values: readonly unknown[]): void {
  if (values.every((value) => isDeepStrictEqual(value, values[0]))) return;
  throw new Error(`the responses to ${what} differ:\n${values.map((each) => JSON.stringify(each)).join("\n")}`);
}
