/**
 * The entity tag (RFC 9110 section 8.8.3) of a resource that was updated last at this moment. It is a strong one: no update of a
 * resource leaves that moment as it was.
 */
export function etagOf(updatedAt: Date): string {
  const milliseconds = updatedAt.getTime();
  const seconds = Math.floor(milliseconds / 1000);
  const rest = milliseconds - seconds * 1000;
  // In two parts, each a small integer: V8 prints the whole in four times as long, and a list has very many.
  return `"${seconds}${rest < 10 ? "00" : rest < 100 ? "0" : ""}${rest}"`;
}

/** What `etagOf` gives, up to the year 5138. */
const ETAG = /^"([1-9]\d{0,13})"$/;

/** The moment of an entity tag, in ISO 8601; undefined for a tag that no resource has. */
export function momentOf(etag: string): string | undefined {
  const [, milliseconds] = ETAG.exec(etag) ?? [];
  return milliseconds === undefined ? undefined : new Date(Number(milliseconds)).toISOString();
}
