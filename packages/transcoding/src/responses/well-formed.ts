/**
 * Replaces unpaired surrogates with U+FFFD in a string, or in all strings of a message, including its lists and maps. JSON escapes can contain
 * unpaired surrogates, but `encodeURIComponent` and the protobuf encoders throw for them. Returns a well-formed value itself, not a copy.
 */
export function toWellFormed<T>(value: T): T {
  return isWellFormed(value) ? value : replaced(value);
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  return !isRecord(value) || Object.entries(value).every(([name, inner]) => name.isWellFormed() && isWellFormed(inner));
}

function replaced<T>(value: T): T {
  if (typeof value === "string") return value.toWellFormed() as T;
  if (Array.isArray(value)) return value.map(replaced) as T;
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name.toWellFormed(), replaced(inner)]);
  return Object.setPrototypeOf(Object.fromEntries(entries), Object.getPrototypeOf(value));
}

function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null && !ArrayBuffer.isView(value);
}
