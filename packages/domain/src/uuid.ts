/** Matches a UUID with hyphens (RFC 9562), in either case. */
export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns a UUID in lower case; undefined for a text that is not a UUID. */
export function parseUuid(text: string): string | undefined {
  return UUID_PATTERN.test(text) ? text.toLowerCase() : undefined;
}
