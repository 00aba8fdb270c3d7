import fc from "fast-check";

/** The ranges of code points that the validation rules for texts distinguish. */
const KINDS: readonly (readonly [first: number, last: number])[] = [
  [0x21, 0x7e], // printable ASCII
  [0x00, 0x20], // C0 controls and space
  [0x7f, 0xa0], // C1 controls and no-break space
  [0xa1, 0x378], // Latin, combining marks, an unassigned code point
  [0x660, 0x669], // digits that are not ASCII
  [0x2000, 0x206f], // spaces, separators, format characters
  [0xd800, 0xdfff], // surrogates
  [0xe000, 0xf8ff], // private use
  [0xfeff, 0xffff], // byte order mark, full-width digits, noncharacters
  [0x1f300, 0x1f5ff], // symbols outside the BMP
  [0xe0000, 0x10ffff], // tags, private use and noncharacters outside the BMP
  [0, 0x10ffff],
];

/**
 * Text of any code points, including lone surrogates. Valid text and text of about the maximum length are frequent, so that rules accept
 * about as many texts as they reject.
 *
 * @param maxLength maximum number of code points.
 */
export function anyText(maxLength: number): fc.Arbitrary<string> {
  const short = fc.string({ unit: codePointOf(KINDS), maxLength: Math.min(maxLength, 10) });
  const good = fc.string({
    unit: codePointOf([
      [0x21, 0x7e],
      [0x1f300, 0x1f5ff],
    ]),
    maxLength: Math.min(maxLength, 10),
  });
  // Repeats one character, because fast-check takes minutes to shrink long arrays of different characters.
  const long = fc
    .tuple(fc.constantFrom("a", "\u{1F4DE}"), fc.nat(maxLength), fc.oneof(good, short))
    .map(([character, times, text]) =>
      Array.from(text + character.repeat(times))
        .slice(0, maxLength)
        .join(""),
    );
  return fc.oneof(short, good, long, fc.string({ unit: "grapheme", maxLength }));
}

function codePointOf(ranges: typeof KINDS): fc.Arbitrary<string> {
  return fc.oneof(...ranges.map(([min, max]) => fc.integer({ min, max }))).map((each) => String.fromCodePoint(each));
}
