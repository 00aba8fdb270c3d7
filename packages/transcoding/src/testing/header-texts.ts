/** U+0000 to U+00FF, and characters that need several bytes, surrogate pairs or replacement. */
const CHARACTERS = [
  ...Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)),
  ...["\u0100", "€", "\u2028", "\ufeff", "\uffff", "😀", "\ud800", "\udc00"],
];

/** Texts from a request or from data that are hard to send in a header: each character alone, between others, and between spaces. */
export const HEADER_TEXTS: readonly string[] = CHARACTERS.flatMap((each) => [each, `a${each}b`, ` ${each} `]);

/** Matches header values that every server sends and every client accepts: visible ASCII, with spaces only inside. */
export const SENDABLE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** The texts that the standard class `Headers`, which removes white space at either end, accepts as a value. */
export const HANDLER_TEXTS: readonly string[] = HEADER_TEXTS.filter((text) => {
  try {
    return new Headers({ a: text }).get("a") !== "";
  } catch {
    return false;
  }
});
