/** Control characters, and those that reorder text: written raw they would drive the terminal that shows them. */
const unprintable = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** The text with every character that could drive a terminal replaced by its JSON escape. */
export function visibleText(text: string): string {
  return text.replace(unprintable, (character) => shortEscapes[character] ?? hexEscape(character));
}

const shortEscapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function hexEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
