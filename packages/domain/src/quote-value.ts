const MAX_CODE_POINTS = 80;

/** Matches control characters, line separators, and format characters, which can reverse the text after them. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Formats a value from a request for a message: as a JSON string of at most 80 code points, with unprintable characters escaped. */
export function quoteValue(value: string): string {
  return JSON.stringify(shorten(value)).replace(UNPRINTABLE, escapeCodeUnits);
}

function shorten(value: string): string {
  if (value.length <= MAX_CODE_POINTS) return value;
  // 80 code points take up to 160 code units. One more code unit shows whether the text is longer.
  const shown = Array.from(value.slice(0, 2 * MAX_CODE_POINTS + 1));
  return shown.length > MAX_CODE_POINTS ? `${shown.slice(0, MAX_CODE_POINTS).join("")}…` : value;
}

function escapeCodeUnits(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
