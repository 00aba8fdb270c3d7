/** Compares two strings by code points, as PostgreSQL's `C` collation does with UTF-8. */
export function compareCodePoints(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let i = 0; i < length; i++) {
    const difference = placeOf(one.charCodeAt(i)) - placeOf(other.charCodeAt(i));
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

/** Returns the rank of a UTF-16 code unit. Surrogates rank after all other units, because they encode the highest code points. */
function placeOf(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
