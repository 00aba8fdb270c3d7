const LONGEST = 80;

/** Controls, format characters (which can turn the text after them round) and separators of lines. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * A caller's value as it may stand in a message: as a JSON string, unprintable characters escaped, and cut after 80 code
 * points.
 */
export function quote(value: string): string {
  // One code unit more than 80 code points can have, to tell whether there are more.
  const shown = Array.from(value.slice(0, 2 * LONGEST + 1));
  const text = shown.length > LONGEST ? `${shown.slice(0, LONGEST).join("")}…` : value;
  return JSON.stringify(text).replace(UNPRINTABLE, escapeCodeUnits);
}

function escapeCodeUnits(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
