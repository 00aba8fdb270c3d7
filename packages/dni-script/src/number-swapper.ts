/** An original number and its replacement, both in E.164 format. */
export interface NumberPair {
  readonly original_number: string;
  readonly number: string;
}

/**
 * Replaces phone numbers in a text, and keeps all other text. A replacement has the format of the replaced number, or E.164 format if `toDial` is
 * true.
 */
export type NumberSwapper = (text: string, toDial?: boolean) => string;

/** Separates the texts of adjacent nodes when they are joined. A number may contain separators, and a swap keeps all of them. */
export const TEXT_NODE_SEPARATOR = "\0";

/** Matches a number, with groups for country code and national number. Country codes that are not listed have three digits (ITU-T E.164). */
const E164 = /^\+(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})(\d+)$/;

type E164Parts = [number: string, country: string, national: string];

/** Matches characters between digits: whitespace, dashes, dots, bullets, brackets, slashes and invisible characters, including full-width ones. */
const BETWEEN = "[\\s\0().·•∙‧・/（）．／−ー\\p{Pd}\\p{Cf}]*";

/**
 * Matches the text that may precede a number. Digits, letters, and characters of ids and URLs may not precede it, because the number would be part of
 * a longer text. A lookbehind would be simpler, but Safari has supported it only since 2023.
 */
const BEFORE = "(^|[^\\w\\p{Nd}+＋@#$=&./-]|\\D\\.|[\\d\\s]/|[\\s\0:.]-)";

/** Matches letters and a digit that may follow a number: an extension, or a pause and further tones. */
const EXTENSION = "(?:e?xt?n?|extension|[pw])[\\s.:]*\\d";

/**
 * Patterns for the trunk prefixes of national numbers other than 0, keyed by country code. North America has no trunk prefix: `$` never matches.
 * Hungary's prefix is 06, but some pages write `+36 (0)1 …`.
 */
const TRUNK: Record<string, string> = { 1: "$", 7: "8", 36: "06?" };

/**
 * Creates a function that replaces the original number of each pair with the pair's other number.
 *
 * The function finds an original number in these forms, with any grouping of the digits: `+49 30 1234567`, `0049 30 …`, `011 49 30 …`, `49 30 …`,
 * `+49 (0)30 …`, `030 …`, `30 …`. `TRUNK` lists the countries whose trunk prefix is not 0.
 *
 * @throws TypeError if a number is not in E.164 format
 */
export function createNumberSwapper(pairs: readonly NumberPair[]): NumberSwapper {
  const swaps = pairs.map(({ original_number, number }) => createPairSwap(original_number, number));
  return (text, toDial) => swaps.reduce((swapped, swap) => swap(swapped, toDial), text);
}

function createPairSwap(original: string, number: string): NumberSwapper {
  const [, country, national] = E164.exec(original) as unknown as E164Parts;
  const [, newCountry, newNational] = E164.exec(number) as unknown as E164Parts;
  const pattern = createPattern(country, national);
  const swapOnce: NumberSwapper = (text, toDial) =>
    text.replace(pattern, (found, before, prefix, otherCountry, written) => {
      if (otherCountry) return found;
      if (toDial) return before.replace(/[(-]/, "") + number;
      const shown = country === newCountry ? prefix : `+${newCountry} ${prefix.replace(/\(0\)|[^(\uff08\0]/g, "")}`;
      return before + shown + fillDigits(written, newNational);
    });
  return (text, toDial) => {
    const swapped = swapOnce(text, toDial);
    // Swaps twice, because in "222-333-4444/222-333-4444" the first match consumes the digit that must precede the slash.
    return swapped === text ? text : swapOnce(swapped, toDial);
  };
}

/** Creates a pattern with four groups: the text before the number, the prefix, another country's code in the prefix, and the national number. */
function createPattern(country: string, national: string): RegExp {
  const space = (digits: string) => [...digits].join(BETWEEN);
  // Tries the number's own country code first, because some pages write the trunk prefix after it without brackets, as in +49030, and others split
  // the code, as in +38 (044) for Ukraine (380).
  const code = `(?:(?:[+＋]|00|011)${BETWEEN}(?:${space(country)}|(\\p{Nd}\\p{Nd}?\\p{Nd}?))|${country})${BETWEEN}`;
  // Matches a short number only with its country code, because "1234" could mean anything.
  const optional = national.length < 7 ? "" : "?";
  const trunk = `(?:${TRUNK[country] ?? 0}${BETWEEN})?`;
  const source = `((?:${code})${optional}${trunk})(${space(national)})`;
  // Each digit also matches its full-width form.
  const wide = source.replace(/\d/g, "[$&\\uff1$&]");
  return new RegExp(`${BEFORE}${wide}(?!(?!${EXTENSION})[\\w\\p{Nd}@]|[.-]\\d)`, "giu");
}

/** Replaces the digits of a formatted number, and keeps full-width digits full-width. Appends extra digits, or removes surplus characters. */
function fillDigits(written: string, digits: string): string {
  let next = 0;
  // Repeats the last digit to make room for extra digits. An E.164 number has at most 15 digits.
  return (written + written.slice(-1).repeat(15)).replace(/[^\0]/g, (char) => {
    const digit = digits[next] ?? "";
    if (!digit || /\P{Nd}/u.test(char)) return digit && char;
    next++;
    return char > "9" ? String.fromCharCode(0xff10 + Number(digit)) : digit;
  });
}
