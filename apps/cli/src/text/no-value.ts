import { comparableWord } from "./comparable-name.js";

/** Words that databases and programs write for an absent value, as {@link comparableWord} returns them. */
const WORDS: readonly string[] = ["null", "nil", "none", "na", "nan", "nat", "undef", "undefined", "unknown", "empty"];

/** MySQL and PostgreSQL write it for NULL. */
const DATABASE_NULL = "\\N";

/** Reports whether a text stands for no value: `NULL`, `\N`, `n/a`, or only punctuation, such as `-`. */
export function isNoValue(text: string): boolean {
  const word = comparableWord(text);
  return word === "" || text === DATABASE_NULL || WORDS.includes(word);
}

/** Reports whether a text stands for no id: no value, or only zeros, as in the nil UUID. */
export function isNoId(text: string): boolean {
  return isNoValue(text) || /^0+$/.test(comparableWord(text));
}
