import type { DescEnum, DescEnumValue } from "@bufbuild/protobuf";

/**
 * How enum values travel: `full` as ProtoJSON has it (`BOOK_KIND_NOVEL`), `lower` without the type's prefix (`novel`), `number` as
 * JSON numbers.
 */
export type EnumSpelling = "full" | "lower" | "number";

/**
 * Returns the number of every name that is taken for a value of an enum: its name, its JSON name, and the name in lower
 * case without the type's prefix, of aliases too. A short name that two values of different numbers share is not taken.
 */
export function enumNumbers(desc: DescEnum): ReadonlyMap<string, number> {
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
 * Returns a value's name, or its number, as it travels. A JSON name that the proto gives it comes before the short name, and a name that
 * would not be read back as the same value is never used.
 */
export function spellEnumValue(value: DescEnumValue, spelling: EnumSpelling): string {
  if (spelling === "number") {
    return `${value.number}`;
  }
  if (spelling === "full" || value.jsonName !== value.name) {
    return value.jsonName;
  }
  const short = shortName(value);
  return enumNumbers(value.parent).get(short) === value.number ? short : value.name;
}

/**
 * Returns the names, or the numbers, that a client is told of, in the order of the proto: all, aliases too, but for a zero value
 * named `…UNSPECIFIED`, which stands for the absence of a choice (AIP-126).
 */
export function offeredEnumNames(desc: DescEnum, spelling: EnumSpelling): readonly string[] {
  const names = desc.values
    .filter((value) => value.number !== 0 || !value.name.endsWith("UNSPECIFIED"))
    .map((value) => spellEnumValue(value, spelling));
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
