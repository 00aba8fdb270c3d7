/** Normalizes a word for comparisons: lower case, without spaces and punctuation. */
export function comparableWord(word: string): string {
  return word
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** Does the same as {@link comparableWord}, with a cache: the names of columns repeat in every row. */
export function comparableName(name: string): string {
  const comparable = comparableNames.get(name) ?? comparableWord(name);
  comparableNames.set(name, comparable);
  return comparable;
}

const comparableNames = new Map<string, string>();
