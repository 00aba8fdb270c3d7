/** A number that a page may show, and the one that is to stand in its place; both in E.164 format. */
export interface NumberPair {
  readonly original_number: string;
  readonly number: string;
}

/**
 * Puts other phone numbers in the places of those in a text, as they were written there or, if they are `toDial`, in E.164
 * format. Gives the text as it is where none of them is in it.
 */
export type NumberSwap = (text: string, toDial?: boolean) => string;

/** Stands between the texts of neighbours in a line. A number may go on over it, and every one of them is kept. */
export const GAP = "\0";

/** The country code and the national number. Codes have three digits but for those that are listed (ITU-T E.164). */
const E164 = /^\+(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})(\d+)$/;

type E164Parts = [number: string, country: string, national: string];

/** What people write between the digits of a number: blanks, dots, brackets, slashes, every dash, and what is not seen. */
const BETWEEN = "[\\s\\0().·/\\u2212\\p{Pd}\\p{Cf}]*";

/**
 * What may stand before a number. A digit, a letter, or a sign that ids and addresses have makes it a part of something else.
 * (No lookbehind: Safari has it since 2023 only.)
 */
const BEFORE = "(^|[^\\w+@#$=&./-]|\\D\\.|[\\d\\s]/|\\s-)";

/** What is dialled before a number within the country: nothing in North America. */
const TRUNK: Record<string, string | number> = { 1: "$", 7: 8 };

/**
 * The swap of all the originals for their replacements.
 *
 * A number is found by its digits in any of these forms, however they are grouped: `+49 30 1234567`, `0049 30 …`,
 * `011 49 30 …`, `49 30 …`, `+49 (0)30 …`, `030 …`, `30 …`; for country code 7 with 8 as the leading digit; for 1 with none.
 *
 * @throws TypeError if a number is not in E.164 format
 */
export function createNumberSwap(pairs: readonly NumberPair[]): NumberSwap {
  const swaps = pairs.map(createSwapOfOne);
  return (text, toDial) => swaps.reduce((swapped, swap) => swap(swapped, toDial), text);
}

function createSwapOfOne({ original_number, number }: NumberPair): NumberSwap {
  const [, country, national] = E164.exec(original_number) as unknown as E164Parts;
  const [, newCountry, newNational] = E164.exec(number) as unknown as E164Parts;
  const pattern = createPattern(country, national);
  return (text, toDial) =>
    text.replace(pattern, (found, before, prefix, code, written) => {
      if (code && code !== country) return found;
      if (toDial) return before.replace("(", "") + number;
      const shown = country === newCountry ? prefix : `+${newCountry} ${prefix.replace(/\(0\)|[^(\0]/g, "")}`;
      return before + shown + fillDigits(written, newNational);
    });
}

/** Has the groups before, prefix, code in the prefix (of this country or another), and national number. */
function createPattern(country: string, national: string): RegExp {
  const code = `(?:(?:\\+|00|011)${BETWEEN}(\\d{1,3})|${country})${BETWEEN}`;
  // A shorter number is looked for with its country code only: "1234" may be anything.
  const optional = national.length < 7 ? "" : "?";
  const trunk = `(?:${TRUNK[country] ?? 0}${BETWEEN})?`;
  const digits = [...national].join(BETWEEN);
  return new RegExp(`${BEFORE}((?:${code})${optional}${trunk})(${digits})(?![\\w@]|[.-]\\d)`, "gu");
}

/** Puts digits in the places of digits. More of them go to the end; of places that are left over nothing stays but gaps. */
function fillDigits(written: string, digits: string): string {
  let next = 0;
  const filled = written.replace(/[^\0]/g, (char) => {
    if (/\d/.test(char)) return digits[next++] ?? "";
    return next < digits.length ? char : "";
  });
  return filled + digits.slice(next);
}
