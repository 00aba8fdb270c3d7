/** Matches control characters, and characters that change the direction of text. */
const unprintable = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Replaces each character that could manipulate a terminal with a JSON escape, such as `\n`. */
export function escapeForTerminal(text: string): string {
  return text.replace(unprintable, (character) => shortEscapes[character] ?? hexEscape(character));
}

const shortEscapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function hexEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
