import { parseQualityValues } from "./quality-values.js";
import { RequestError } from "./request-error.js";

/** A content coding of RFC 9110 section 8.4.1 as a runtime offers it. */
export interface ContentCoding {
  readonly name: "gzip" | "br" | "zstd";
  encode(bytes: Uint8Array): Promise<Uint8Array>;
  /** Throws a `RequestError` when the bytes are damaged, or would exceed `maxBytes` decoded. */
  decode(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array>;
}

/** Each takes as long as the largest body, and nobody who means it uses more than one. */
const MOST_CODINGS = 2;

/**
 * The codings that a request's `Content-Encoding` names, in the order in which they are to be undone. Throws a
 * `RequestError` for too many, and with the `accept-encoding` header of RFC 9110 section 15.5.16 for one that is not at hand.
 */
export function requireCodings(contentEncoding: string, codings: readonly ContentCoding[]): readonly ContentCoding[] {
  const names = contentEncoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "identity" && name !== "");
  if (names.length > MOST_CODINGS) {
    throw new RequestError(
      "CONTENT_ENCODING_UNSUPPORTED",
      `the Content-Encoding must list at most ${MOST_CODINGS} codings`,
    );
  }
  return names.map((name) => findCoding(name, codings) ?? refuseCoding(codings)).reverse();
}

/**
 * The coding that a client prefers by `Accept-Encoding` (RFC 9110 section 12.5.3), of equal ones the first of `codings`;
 * undefined where it prefers none, or has none of them.
 */
export function negotiateCoding(
  acceptEncoding: string | undefined,
  codings: readonly ContentCoding[],
): ContentCoding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const accepted = parseQualityValues(acceptEncoding);
  const named = (name: string) =>
    accepted.find(({ value }) => value === name || (name === "gzip" && value === "x-gzip"))?.quality;
  const rest = named("*") ?? 0;
  let best: ContentCoding | undefined;
  let quality = named("identity") ?? 0;
  for (const coding of codings) {
    const offered = named(coding.name) ?? rest;
    if (offered > quality || (offered === quality && offered > 0 && best === undefined)) {
      best = coding;
      quality = offered;
    }
  }
  return best;
}

function findCoding(name: string, codings: readonly ContentCoding[]): ContentCoding | undefined {
  // RFC 9110 section 8.4.1.3: x-gzip is gzip.
  const canonical = name === "x-gzip" ? "gzip" : name;
  return codings.find((coding) => coding.name === canonical);
}

function refuseCoding(codings: readonly ContentCoding[]): never {
  const accepted = [...codings.map((coding) => coding.name), "identity"].join(", ");
  throw new RequestError("CONTENT_ENCODING_UNSUPPORTED", `the Content-Encoding must be one of ${accepted}`, {
    headers: { "accept-encoding": accepted },
  });
}
