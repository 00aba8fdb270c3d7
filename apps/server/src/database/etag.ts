/**
 * Formats the entity tag (RFC 9110 section 8.8.3) of a resource with this update time. The tag is strong, because every
 * update changes that time.
 */
export function formatEtag(updatedAt: Date): string {
  const milliseconds = updatedAt.getTime();
  const seconds = Math.floor(milliseconds / 1000);
  const rest = milliseconds - seconds * 1000;
  // Two small integers: V8 takes four times as long to print the whole number, and a list has many etags.
  return `"${seconds}${rest < 10 ? "00" : rest < 100 ? "0" : ""}${rest}"`;
}

/** The format of `formatEtag`; valid up to the year 5138. */
const ETAG = /^"([1-9]\d{0,13})"$/;

/** Parses an entity tag to the update time, in ISO 8601; undefined for a tag that no resource has. */
export function parseEtag(etag: string): string | undefined {
  const [, milliseconds] = ETAG.exec(etag) ?? [];
  return milliseconds === undefined ? undefined : new Date(Number(milliseconds)).toISOString();
}
