import { parseQualityValues } from "./quality-values.js";
import { RequestError } from "./request-error.js";

/** A content coding (RFC 9110 section 8.4.1), implemented by a runtime. */
export interface ContentCoding {
  readonly name: "gzip" | "br" | "zstd";
  encode(bytes: Uint8Array): Promise<Uint8Array>;
  /** Rejects with a `RequestError` if the bytes are damaged, or exceed `maxBytes` when decoded. */
  decode(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array>;
}

/** Clients use one coding. Each additional one could take as long to decode as a body of maximum size. */
const MAX_CODINGS = 2;
const NONE: readonly ContentCoding[] = [];

/**
 * Returns the codings in a request's `Content-Encoding`, or in the header that replaces it in a protocol, in decoding order. Throws a `RequestError`
 * for too many codings and for an unsupported one. The latter lists the accepted codings in `acceptHeader` (RFC 9110 section 15.5.16).
 */
export function requireCodings(
  contentEncoding: string | undefined,
  codings: readonly ContentCoding[],
  acceptHeader = "accept-encoding",
): readonly ContentCoding[] {
  if (contentEncoding === undefined) return NONE;
  const names = contentEncoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "identity" && name !== "");
  if (names.length > MAX_CODINGS) {
    throw new RequestError(
      "CONTENT_ENCODING_UNSUPPORTED",
      `the Content-Encoding must list at most ${MAX_CODINGS} codings`,
    );
  }
  // RFC 9110 section 8.4.1.3: x-gzip is an alias of gzip.
  const canonical = names.map((name) => (name === "x-gzip" ? "gzip" : name));
  return canonical
    .map((name) => codings.find((coding) => coding.name === name) ?? refuseCoding(codings, acceptHeader))
    .reverse();
}

/**
 * Decodes bytes with the codings from {@link requireCodings}. Rejects with a `RequestError` if they are damaged, or exceed `maxBytes` when
 * decoded. Zero bytes are returned unchanged: they are valid in no coding, but clients that compress skip empty bodies.
 */
export async function decodeBytes(
  bytes: Uint8Array,
  codings: readonly ContentCoding[],
  maxBytes: number,
): Promise<Uint8Array> {
  if (bytes.length === 0) return bytes;
  let decoded = bytes;
  for (const coding of codings) decoded = await coding.decode(decoded, maxBytes);
  return decoded;
}

/**
 * Chooses a coding by `Accept-Encoding` (RFC 9110 section 12.5.3); the first of `codings` wins a tie. Undefined if the client prefers no coding
 * or accepts none of `codings`.
 */
export function negotiateCoding(
  acceptEncoding: string | undefined,
  codings: readonly ContentCoding[],
): ContentCoding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const accepted = parseQualityValues(acceptEncoding);
  const named = (name: string) => accepted.get(name) ?? (name === "gzip" ? accepted.get("x-gzip") : undefined);
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

/** Lists codings for a header such as `Accept-Encoding`, without spaces, because grpc-js splits the list only at commas. */
export function formatCodings(codings: readonly ContentCoding[]): string {
  return [...codings.map((coding) => coding.name), "identity"].join(",");
}

function refuseCoding(codings: readonly ContentCoding[], acceptHeader: string): never {
  const accepted = formatCodings(codings);
  const message = `the encoding is not supported: use one of ${accepted.replaceAll(",", ", ")}`;
  throw new RequestError("CONTENT_ENCODING_UNSUPPORTED", message, { headers: { [acceptHeader]: accepted } });
}
