/** Returns a word without case, spaces and punctuation. */
export function comparableWord(word: string): string {
  return word
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** Returns the name of a column as {@link comparableWord} does. */
export function comparableName(name: string): string {
  const comparable = comparableNames.get(name) ?? comparableWord(name);
  comparableNames.set(name, comparable);
  return comparable;
}

/** Names of columns repeat in every row. */
const comparableNames = new Map<string, string>();
