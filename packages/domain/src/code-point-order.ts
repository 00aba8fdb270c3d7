/** Code units from the first surrogate on. Below it, code units and code points have the same order. */
const FROM_SURROGATES = /[\ud800-\uffff]/g;

/** Compares two strings by code points, as PostgreSQL's `C` collation does with UTF-8. */
export function compareCodePoints(one: string, other: string): number {
  return compareSortKeys(codePointSortKey(one), codePointSortKey(other));
}

/**
 * Returns a string whose code units sort like the code points of the given text. Use it with `compareSortKeys` to
 * compare many strings.
 *
 * The key moves surrogates behind the rest of the BMP. Different texts have different keys; the key of most texts is
 * the text itself.
 */
export function codePointSortKey(text: string): string {
  return text.search(FROM_SURROGATES) < 0 ? text : text.replace(FROM_SURROGATES, putSurrogatesLast);
}

/** Compares two keys made by `codePointSortKey`. */
export function compareSortKeys(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function putSurrogatesLast(character: string): string {
  const unit = character.charCodeAt(0);
  return String.fromCharCode(unit < 0xe000 ? unit + 0x2000 : unit - 0x800);
}
