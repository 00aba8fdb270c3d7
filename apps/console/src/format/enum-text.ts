import type { DescEnum } from "@bufbuild/protobuf";

/** Returns the name of an enum value in the API's JSON, such as `in_progress`. */
export function enumName(descriptor: DescEnum, value: number): string {
  return (descriptor.value[value]?.name ?? "").slice(descriptor.sharedPrefix?.length ?? 0).toLowerCase();
}

/** Lists the values of an enum with their names, except for the unspecified one. */
export function enumEntries<Value extends number>(descriptor: DescEnum): readonly (readonly [name: string, Value])[] {
  const values = descriptor.values.map(({ number }) => number).filter((number) => number !== 0);
  return values.map((number) => [enumName(descriptor, number), number as Value]);
}

/** Returns the name of an enum value in words, such as `in progress`. */
export function enumText(descriptor: DescEnum, value: number): string {
  return enumName(descriptor, value).replaceAll("_", " ");
}
