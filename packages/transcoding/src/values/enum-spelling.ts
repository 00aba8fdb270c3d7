import type { DescEnum, DescEnumValue } from "@bufbuild/protobuf";
import { createWeakCache } from "./weak-cache.js";

/** How enum values are written: `full` as in ProtoJSON (`BOOK_KIND_NOVEL`), `lower` without the type's prefix (`novel`), or as JSON `number`. */
export type EnumSpelling = "full" | "lower" | "number";

/**
 * Returns the number for each accepted name of an enum's values, including aliases: the proto name, the JSON name, and the short name in lower
 * case without the type's prefix. Omits a short name that two values with different numbers share.
 */
export const getEnumNumbersByName = createWeakCache((desc: DescEnum): ReadonlyMap<string, number> => {
  const { values } = desc;
  const isUnique = (value: DescEnumValue) =>
    values.every((other) => other.number === value.number || shortName(other) !== shortName(value));
  return new Map([
    ...values.filter(isUnique).map((value) => [shortName(value), value.number] as const),
    ...values.map(({ jsonName, number }) => [jsonName, number] as const),
    ...values.map(({ name, number }) => [name, number] as const),
  ]);
});

/**
 * Returns the name or number to write for an enum value. Returns the full name instead of a short name that also belongs to another value. A
 * `json_name` replaces the short name.
 */
export function spellEnumValue(value: DescEnumValue, spelling: EnumSpelling): string {
  if (spelling === "number") return `${value.number}`;
  if (spelling === "full" || value.jsonName !== value.name) return value.jsonName;
  const short = shortName(value);
  return getEnumNumbersByName(value.parent).get(short) === value.number ? short : value.name;
}

/** Whether an enum value is the zero value named `…UNSPECIFIED`, which means that the field has no value (AIP-126). */
export function isUnspecifiedEnumValue(value: DescEnumValue): boolean {
  return value.number === 0 && value.name.endsWith("UNSPECIFIED");
}

/** Lists the names or numbers of an enum's values for documentation, in the order of the proto. Includes aliases, but not the unspecified value. */
export function listDocumentedEnumNames(desc: DescEnum, spelling: EnumSpelling): readonly string[] {
  const names = desc.values
    .filter((value) => !isUnspecifiedEnumValue(value))
    .map((value) => spellEnumValue(value, spelling));
  return [...new Set(names)];
}

function shortName(value: DescEnumValue): string {
  return value.name.slice(value.parent.sharedPrefix?.length ?? 0).toLowerCase();
}
