/** Splits a name in UpperCamelCase into the words of a title: `CreateApiKey` becomes "Create API key". */
export function toTitleWords(name: string): string {
  const words = name.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/);
  return words.map((word, index) => toWord(word, index === 0)).join(" ");
}

const ACRONYMS = new Set(["api", "dni", "i", "id", "url"]);

function toWord(word: string, isFirst: boolean): string {
  if (ACRONYMS.has(word.toLowerCase())) return word.toUpperCase();
  return isFirst ? word : word.toLowerCase();
}
