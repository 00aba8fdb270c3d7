/** Code units from the first surrogate on: below it the order of code units is that of code points. */
const FROM_SURROGATES = /[\ud800-\uffff]/g;

/** Compares two texts by their code points, as PostgreSQL's collation `C` does in UTF-8. */
export function compareCodePoints(one: string, other: string): number {
  return compareSortKeys(codePointSortKey(one), codePointSortKey(other));
}

/**
 * A text whose code units are in the order of the given text's code points, to compare many with `compareSortKeys`: surrogates
 * are put behind the rest of the BMP. Different texts have different keys; most texts are their own.
 */
export function codePointSortKey(text: string): string {
  return text.search(FROM_SURROGATES) < 0 ? text : text.replace(FROM_SURROGATES, putSurrogatesLast);
}

/** Compares the keys that `codePointSortKey` gives. */
export function compareSortKeys(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function putSurrogatesLast(character: string): string {
  const unit = character.charCodeAt(0);
  return String.fromCharCode(unit < 0xe000 ? unit + 0x2000 : unit - 0x800);
}
