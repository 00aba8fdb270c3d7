/** One character of each class that some step of sending a header treats in its own way, with the limits of the classes. */
const CHARACTERS = [
  ...["\0", "\t", "\n", "\r", "\x1f", " ", "!", '"', "%", ",", ":", ";", "a", "~", "\x7f"],
  ...["\x80", "\x9f", "\xa0", "é", "\xff", "\u0100", "€", "\u2028", "\ufeff", "\uffff", "😀", "\ud800", "\udc00"],
];

/** Texts that are hard to send in a header: each character alone, between letters, and between spaces. */
export const HEADER_TEXTS: readonly string[] = CHARACTERS.flatMap((each) => [each, `a${each}b`, ` ${each} `]);

/** Matches header values that every server sends and every client accepts: visible ASCII, with spaces only inside. */
export const SENDABLE_HEADER_VALUE_PATTERN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** The texts in `HEADER_TEXTS` that the standard class `Headers` accepts as a value, and that are not empty after `Headers` trims them. */
export const HANDLER_TEXTS: readonly string[] = HEADER_TEXTS.filter((text) => {
  try {
    return new Headers({ a: text }).get("a") !== "";
  } catch {
    return false;
  }
});
