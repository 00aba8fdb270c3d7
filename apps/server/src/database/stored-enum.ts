/** The values of an API enum by their stored names, without `UNSPECIFIED`. */
export type StoredEnum<E> = { readonly [N in Exclude<keyof E & string, "UNSPECIFIED"> as Lowercase<N>]: E[N] };

/** Returns the values of an API enum by their stored names, which are in lower case. */
export function storedEnum<E extends object>(values: E): StoredEnum<E> {
  // An enum object also maps values to names. The value 0 is UNSPECIFIED in every enum.
  const named = Object.entries(values).filter(([, value]) => typeof value === "number" && value !== 0);
  return Object.fromEntries(named.map(([name, value]) => [name.toLowerCase(), value])) as StoredEnum<E>;
}

/** Returns the stored name of a value other than `UNSPECIFIED`. The enum must have no aliases. */
export function storedNameOf<E extends object>(values: E, value: E[keyof E]): keyof StoredEnum<E> {
  const names = values as unknown as Readonly<Record<number, string>>;
  return (names[value as number] as string).toLowerCase() as keyof StoredEnum<E>;
}
