import type { DescEnum, DescEnumValue } from "@bufbuild/protobuf";

/**
 * The spelling of enum values: `full` is that of ProtoJSON (`BOOK_KIND_NOVEL`), `lower` is in lower case without the type's
 * prefix (`novel`), `number` is a JSON number.
 */
export type EnumSpelling = "full" | "lower" | "number";

/**
 * Maps every accepted name of an enum's values to its number: the name, the JSON name, and the lower-case name without the
 * type's prefix, each for aliases too. A short name is not accepted if two values with different numbers share it.
 */
export function mapEnumNames(desc: DescEnum): ReadonlyMap<string, number> {
  const numbers = shortNames(desc);
  for (const value of desc.values) {
    numbers.set(value.jsonName, value.number);
  }
  for (const value of desc.values) {
    numbers.set(value.name, value.number);
  }
  return numbers;
}

/**
 * Returns the name or number of a value in a spelling. A JSON name from the proto takes precedence over the short name. A
 * name that would not be read back as the same value is never used.
 */
export function spellEnumValue(value: DescEnumValue, spelling: EnumSpelling): string {
  if (spelling === "number") {
    return `${value.number}`;
  }
  if (spelling === "full" || value.jsonName !== value.name) {
    return value.jsonName;
  }
  const short = shortName(value);
  return mapEnumNames(value.parent).get(short) === value.number ? short : value.name;
}

/** Whether a value is the zero value named `…UNSPECIFIED`, which means that no value was chosen (AIP-126). */
export function isUnspecified(value: DescEnumValue): boolean {
  return value.number === 0 && value.name.endsWith("UNSPECIFIED");
}

/** Returns the names or numbers to document, aliases included, in the order of the proto, without an unspecified value. */
export function listDocumentedEnumNames(desc: DescEnum, spelling: EnumSpelling): readonly string[] {
  const names = desc.values.filter((value) => !isUnspecified(value)).map((value) => spellEnumValue(value, spelling));
  return [...new Set(names)];
}

function shortNames(desc: DescEnum): Map<string, number> {
  const numbers = new Map<string, number>();
  const ambiguous = new Set<string>();
  for (const value of desc.values) {
    const name = shortName(value);
    if ((numbers.get(name) ?? value.number) !== value.number) {
      ambiguous.add(name);
    }
    numbers.set(name, value.number);
  }
  for (const name of ambiguous) {
    numbers.delete(name);
  }
  return numbers;
}

function shortName(value: DescEnumValue): string {
  return value.name.slice(value.parent.sharedPrefix?.length ?? 0).toLowerCase();
}
