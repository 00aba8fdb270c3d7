import type { DescEnum } from "@bufbuild/protobuf";

/** Returns the name of an enum value in the API's JSON, such as `in_progress`. */
export function getEnumValueName(descriptor: DescEnum, value: number): string {
  return (descriptor.value[value]?.name ?? "").slice(descriptor.sharedPrefix?.length ?? 0).toLowerCase();
}

/** Returns the name and number of each value of an enum, except for the unspecified value 0. */
export function listEnumValues<Value extends number>(
  descriptor: DescEnum,
): readonly (readonly [name: string, Value])[] {
  const values = descriptor.values.map(({ number }) => number).filter((number) => number !== 0);
  return values.map((number) => [getEnumValueName(descriptor, number), number as Value]);
}

/** Returns the name of an enum value in words, such as `in progress`. */
export function formatEnumValueAsWords(descriptor: DescEnum, value: number): string {
  return getEnumValueName(descriptor, value).replaceAll("_", " ");
}
