import type { DescEnum, DescEnumValue } from "@bufbuild/protobuf";
import { createWeakCache } from "./weak-cache.js";

/** `full` is ProtoJSON (`BOOK_KIND_NOVEL`), `lower` is in lower case without the type's prefix (`novel`), `number` is a JSON number. */
export type EnumSpelling = "full" | "lower" | "number";

/**
 * Maps every accepted name of an enum's values to its number: the name, the JSON name, and the lower-case name without the
 * type's prefix, each for aliases too. A short name is not accepted if two values with different numbers share it.
 */
export const mapEnumNames = createWeakCache((desc: DescEnum): ReadonlyMap<string, number> => {
  const { values } = desc;
  const isUnique = (value: DescEnumValue) =>
    values.every((other) => other.number === value.number || shortName(other) !== shortName(value));
  return new Map([
    ...values.filter(isUnique).map((value) => [shortName(value), value.number] as const),
    ...values.map(({ jsonName, number }) => [jsonName, number] as const),
    ...values.map(({ name, number }) => [name, number] as const),
  ]);
});

/** A JSON name in the proto takes precedence over the short name. Never returns a name that would be read back as another value. */
export function spellEnumValue(value: DescEnumValue, spelling: EnumSpelling): string {
  if (spelling === "number") return `${value.number}`;
  if (spelling === "full" || value.jsonName !== value.name) return value.jsonName;
  const short = shortName(value);
  return mapEnumNames(value.parent).get(short) === value.number ? short : value.name;
}

/** Whether a value is the zero value named `…UNSPECIFIED`, which means that no value was chosen (AIP-126). */
export function isUnspecified(value: DescEnumValue): boolean {
  return value.number === 0 && value.name.endsWith("UNSPECIFIED");
}

/** Returns the names or numbers to document, in the order of the proto. Includes aliases, and excludes an unspecified value. */
export function listDocumentedEnumNames(desc: DescEnum, spelling: EnumSpelling): readonly string[] {
  const names = desc.values.filter((value) => !isUnspecified(value)).map((value) => spellEnumValue(value, spelling));
  return [...new Set(names)];
}

function shortName(value: DescEnumValue): string {
  return value.name.slice(value.parent.sharedPrefix?.length ?? 0).toLowerCase();
}
