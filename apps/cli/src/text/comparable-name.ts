/** Returns a name without case, spaces and punctuation. */
export function comparableName(name: string): string {
  let comparable = comparableNames.get(name);
  if (comparable === undefined) {
    comparable = name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
    comparableNames.set(name, comparable);
  }
  return comparable;
}

/** Names of columns repeat in every row. */
const comparableNames = new Map<string, string>();
