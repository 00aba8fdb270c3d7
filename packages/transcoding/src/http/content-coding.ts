import { parseQualityValues } from "./quality-values.js";
import { RequestError } from "./request-error.js";

/** A content coding (RFC 9110 section 8.4.1), implemented for a runtime such as Node.js. */
export interface ContentCoding {
  readonly name: "gzip" | "br" | "zstd";
  encode(bytes: Uint8Array): Promise<Uint8Array>;
  /** Rejects with a `RequestError` if the bytes are damaged, or if the decoded bytes exceed `maxBytes`. */
  decode(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array>;
}

/** Maximum number of codings of a body. Clients use one. Each additional coding could take as long to decode as a body of the maximum size. */
const MAX_CODINGS = 2;
const NONE: readonly ContentCoding[] = [];

/**
 * Returns the codings that a request lists in `Content-Encoding` or in a protocol's own header, in the order in which to decode them. Throws a
 * `RequestError` for more than two codings or an unsupported coding. The error for an unsupported coding has the response header `acceptHeader`,
 * which lists the supported codings (RFC 9110 section 15.5.16).
 */
export function requireContentCodings(
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
 * Decodes bytes with the codings from {@link requireContentCodings}. Rejects with a `RequestError` if the bytes are damaged, or if the decoded bytes
 * exceed `maxBytes`. Accepts zero bytes, which are valid in no coding, because clients do not compress empty bodies.
 */
export async function decodeContent(
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
 * Chooses the coding in `codings` with the highest weight in `Accept-Encoding` (RFC 9110 section 12.5.3), and the first of several with the same
 * weight. Undefined if the client accepts none of `codings`, or prefers a body without coding.
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

/** Formats the value of a header such as `Accept-Encoding`. Writes no spaces after the commas, because grpc-js does not remove them. */
export function formatCodingList(codings: readonly ContentCoding[]): string {
  return [...codings.map((coding) => coding.name), "identity"].join(",");
}

function refuseCoding(codings: readonly ContentCoding[], acceptHeader: string): never {
  const accepted = formatCodingList(codings);
  const message = `the encoding of the request body is not supported: use one of ${accepted.replaceAll(",", ", ")}`;
  throw new RequestError("CONTENT_ENCODING_UNSUPPORTED", message, { headers: { [acceptHeader]: accepted } });
}
