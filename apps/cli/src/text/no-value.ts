import { normalizeWord } from "./normalize-word.js";

/** Words that databases and programs write for an absent value, as {@link normalizeWord} returns them. */
const WORDS: readonly string[] = ["null", "nil", "none", "na", "nan", "nat", "undef", "undefined", "unknown", "empty"];

/** How MySQL and PostgreSQL write NULL in text files. */
const DATABASE_NULL = "\\N";

/** Reports whether a text stands for no value: `NULL`, `\N`, `n/a`, or only punctuation, such as `-`. */
export function standsForNoValue(text: string): boolean {
  const word = normalizeWord(text);
  return word === "" || text === DATABASE_NULL || WORDS.includes(word);
}

/** Reports whether a text stands for no id: no value, or only zeros, as in the nil UUID. */
export function standsForNoId(text: string): boolean {
  return standsForNoValue(text) || /^0+$/.test(normalizeWord(text));
}
