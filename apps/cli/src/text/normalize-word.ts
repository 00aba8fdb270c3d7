/** Normalizes a word for comparisons: lower case, without spaces and punctuation. */
export function normalizeWord(word: string): string {
  return word
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** Does the same as {@link normalizeWord}, with a cache, because the names of columns repeat in every row. */
export function normalizeColumnName(name: string): string {
  const comparable = comparableNames.get(name) ?? normalizeWord(name);
  comparableNames.set(name, comparable);
  return comparable;
}

const comparableNames = new Map<string, string>();
