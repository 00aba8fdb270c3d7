import type { DescEnum } from "@bufbuild/protobuf";

/** Lists the names that requests use for an enum's values: lower case, without the shared prefix, including aliases. */
export function listEnumNames(desc: DescEnum): string[] {
  return desc.values.filter((value) => value.number !== 0).map((value) => shortName(desc, value.name));
}

/** Returns the number of an enum value by its short name or its full name in the proto; undefined for other names. */
export function findEnumNumber(desc: DescEnum, name: string): number | undefined {
  const values = desc.values.filter((value) => value.number !== 0);
  return values.find((value) => name === shortName(desc, value.name) || name === value.name)?.number;
}

/** Returns the name that responses use for an enum value; null for the zero value and for values that this version does not know. */
export function findEnumName(desc: DescEnum, number: number): string | null {
  const value = number === 0 ? undefined : desc.values.find((candidate) => candidate.number === number);
  return value === undefined ? null : shortName(desc, value.name);
}

function shortName(desc: DescEnum, name: string): string {
  return name.slice(desc.sharedPrefix?.length ?? 0).toLowerCase();
}
