import type { DescEnum } from "@bufbuild/protobuf";

/** The names that a request may call an enum's values by: lower case, without the shared prefix, aliases included. */
export function listEnumNames(desc: DescEnum): string[] {
  return desc.values.filter((value) => value.number !== 0).map((value) => shortName(desc, value.name));
}

/** The number of the enum value that a name stands for, or undefined. Takes short names and the full ones of the proto. */
export function findEnumNumber(desc: DescEnum, name: string): number | undefined {
  return desc.values.find((value) => value.number !== 0 && [shortName(desc, value.name), value.name].includes(name))
    ?.number;
}

/** The name that answers call an enum value by, or null for the zero value and one that this version does not know. */
export function enumNameOf(desc: DescEnum, number: number): string | null {
  const value = number === 0 ? undefined : desc.values.find((candidate) => candidate.number === number);
  return value === undefined ? null : shortName(desc, value.name);
}

function shortName(desc: DescEnum, name: string): string {
  return name.slice(desc.sharedPrefix?.length ?? 0).toLowerCase();
}
