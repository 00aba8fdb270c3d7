/** The values of an API enum, keyed by the names that the database stores. Excludes `UNSPECIFIED`. */
export type StoredEnum<E> = { readonly [N in Exclude<keyof E & string, "UNSPECIFIED"> as Lowercase<N>]: E[N] };

/** Maps the names that the database stores to the values of an API enum. A stored name is the API's name in lower case. */
export function createStoredEnum<E extends object>(values: E): StoredEnum<E> {
  // Excludes the entries that map values to names, and the value 0, which is UNSPECIFIED in every enum.
  const named = Object.entries(values).filter(([, value]) => typeof value === "number" && value !== 0);
  return Object.fromEntries(named.map(([name, value]) => [name.toLowerCase(), value])) as StoredEnum<E>;
}

/** Returns the name that the database stores for a value other than `UNSPECIFIED`. The enum must have only one name per value. */
export function getStoredEnumName<E extends object>(values: E, value: E[keyof E]): keyof StoredEnum<E> {
  const names = values as unknown as Readonly<Record<number, string>>;
  return (names[value as number] as string).toLowerCase() as keyof StoredEnum<E>;
}
