/** An original number and its replacement, both in E.164 format. */
export interface NumberPair {
  readonly original_number: string;
  readonly number: string;
}

/** Replaces phone numbers in a text, and keeps all other text and the formatting. With `toDial`, replacements are in E.164 format. */
export type NumberSwap = (text: string, toDial?: boolean) => string;

/** The separator between adjacent text nodes of a line. A number may span several nodes, and swaps preserve all separators. */
export const TEXT_GAP = "\0";

/** The country code and the national number. Country codes not listed have three digits (ITU-T E.164). */
const E164 = /^\+(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})(\d+)$/;

type E164Parts = [number: string, country: string, national: string];

/** Characters between digits: whitespace, dashes, invisible characters, dots, bullets, brackets and slashes, including full-width ones. */
const BETWEEN = "[\\s\0().·•∙‧・/（）．／−ー\\p{Pd}\\p{Cf}]*";

/**
 * Text that may precede a number. After digits, letters, and characters in ids and URLs, the number would be part of something else.
 * Lookbehind is not used because Safari supports it only since 2023.
 */
const BEFORE = "(^|[^\\w\\p{Nd}+＋@#$=&./-]|\\D\\.|[\\d\\s]/|[\\s\0:.]-)";

/** Letters and a digit that may follow a number: an extension, or a pause and further tones. */
const EXTENSION = "(?:e?xt?n?|extension|[pw])[\\s.:]*\\d";

/** The trunk prefix for national calls by country code, if it is not 0. North America has none: `$` never matches. */
const TRUNK: Record<string, string> = { 1: "$", 7: "8" };

/**
 * Creates a function that replaces the original number of each pair.
 *
 * It finds these forms of a number, with any grouping of digits: `+49 30 1234567`, `0049 30 …`, `011 49 30 …`, `49 30
 * …`, `+49 (0)30 …`, `030 …`, `30 …`. Country code 7 has the trunk prefix 8, and country code 1 has none.
 *
 * @throws TypeError if a number is not in E.164 format
 */
export function createNumberSwap(pairs: readonly NumberPair[]): NumberSwap {
  const swaps = pairs.map(({ original_number, number }) => createPairSwap(original_number, number));
  return (text, toDial) => swaps.reduce((swapped, swap) => swap(swapped, toDial), text);
}

function createPairSwap(original: string, number: string): NumberSwap {
  const [, country, national] = E164.exec(original) as unknown as E164Parts;
  const [, newCountry, newNational] = E164.exec(number) as unknown as E164Parts;
  const pattern = createPattern(country, national);
  const swapOnce: NumberSwap = (text, toDial) =>
    text.replace(pattern, (found, before, prefix, code, written) => {
      if (code && code.normalize("NFKC") !== country) return found;
      if (toDial) return before.replace(/[(-]/, "") + number;
      const shown = country === newCountry ? prefix : `+${newCountry} ${prefix.replace(/\(0\)|[^(\uff08\0]/g, "")}`;
      return before + shown + fillDigits(written, newNational);
    });
  return (text, toDial) => {
    const swapped = swapOnce(text, toDial);
    // Repeated, because in "222-333-4444/222-333-4444" the first match consumes the digit that must precede the slash.
    return swapped === text ? text : swapOnce(swapped, toDial);
  };
}

/** Creates a pattern with four groups: the text before, the prefix, the country code in the prefix, and the national number. */
function createPattern(country: string, national: string): RegExp {
  // The number's own country code is the first alternative, because some pages write the trunk prefix after it without brackets.
  const code = `(?:(?:[+＋]|00|011)${BETWEEN}(${country}|\\p{Nd}\\p{Nd}?\\p{Nd}?)|${country})${BETWEEN}`;
  // Short numbers are matched only with a country code, because "1234" could mean anything.
  const optional = national.length < 7 ? "" : "?";
  const trunk = `(?:${TRUNK[country] ?? 0}${BETWEEN})?`;
  const digits = [...national].join(BETWEEN);
  const source = `((?:${code})${optional}${trunk})(${digits})`;
  // Each digit also matches its full-width form.
  const wide = source.replace(/\d/g, "[$&\\uff1$&]");
  return new RegExp(`${BEFORE}${wide}(?!(?!${EXTENSION})[\\w\\p{Nd}@]|[.-]\\d)`, "giu");
}

/** Replaces the digits of a formatted number, keeping their width. Appends extra digits; removes leftovers, except separators of nodes. */
function fillDigits(written: string, digits: string): string {
  let next = 0;
  // The last character is a digit, which makes room for extra digits. An E.164 number has at most 15.
  return (written + written.slice(-1).repeat(15)).replace(/[^\0]/g, (char) => {
    const digit = digits[next] ?? "";
    if (!digit || /\P{Nd}/u.test(char)) return digit && char;
    next++;
    return char > "9" ? String.fromCharCode(0xff10 + Number(digit)) : digit;
  });
}
