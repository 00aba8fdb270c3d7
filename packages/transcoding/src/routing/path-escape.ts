/** Options for decoding path variables that can span several segments. */
export interface PathDecoding {
  /** Whether to keep all reserved characters of RFC 6570, section 1.5, encoded, not only `/`. Default: false. */
  readonly keepReserved?: boolean;
}

/**
 * Describes why a path cannot be decoded: a malformed escape, escapes that are not UTF-8, or characters that are invalid in a request target (RFC
 * 3986, section 2). UTF-8 excludes overlong forms and surrogates (RFC 3629). Returns undefined for a valid path.
 *
 * An escape cannot span a slash, so a path is valid if and only if all its segments are. Unusual characters, such as `[` or `|`, are accepted.
 */
export function findPathProblem(path: string): string | undefined {
  if (!UNUSUAL.test(path)) return undefined;
  if (NOT_VISIBLE_ASCII.test(path)) return "the path must contain only visible ASCII: percent-encode other characters";
  if (MALFORMED_ESCAPE.test(path)) return "every % in the path must be followed by two hexadecimal digits";
  return isDecodable(path) ? undefined : "the percent-encoded bytes in the path must be UTF-8";
}

/**
 * Decodes the value of a variable that is exactly one segment. Decodes all escapes, once.
 *
 * @throws URIError if `findPathProblem` finds a problem
 */
export function decodeSegment(text: string): string {
  return text.includes("%") ? decodeURIComponent(text) : text;
}

/**
 * Decodes the value of a variable that can span several segments, once. Leaves `%2F` and `%2f` encoded, to distinguish them from the slash
 * between segments (google/api/http.proto, "Path template syntax").
 *
 * @throws URIError if `findPathProblem` finds a problem
 */
export function decodeSegments(text: string, { keepReserved = false }: PathDecoding = {}): string {
  if (!text.includes("%")) return text;
  // Escapes that must remain are escaped again, so that decoding restores them.
  return decodeURIComponent(text.replace(keepReserved ? RESERVED_ESCAPE : SLASH_ESCAPE, "%25$1"));
}

/**
 * Encodes a value as one segment: every character except the unreserved ones of RFC 3986, section 2.3 (google/api/http.proto).
 * `decodeSegment`, and `decodeSegments` without `keepReserved`, restore the value.
 *
 * @throws URIError for an unpaired surrogate, which UTF-8 cannot represent
 */
export function encodeSegment(value: string): string {
  return encodeURIComponent(value).replace(SUB_DELIMS_LEFT, percentEncode);
}

/**
 * Normalizes escapes, so that literals can be compared: decodes escaped unreserved characters, and writes the digits of other escapes in
 * upper case (RFC 3986, section 6.2.2). An escaped reserved character remains distinct from the plain one.
 */
export function normalizeEscapes(text: string): string {
  return text.includes("%") ? text.replace(ESCAPE, normalizeEscape) : text;
}

const UNUSUAL = /[^!-$&-~]/;
const NOT_VISIBLE_ASCII = /[^!-~]/;
const MALFORMED_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const ESCAPE = /%([0-9A-Fa-f]{2})/g;
const SLASH_ESCAPE = /%(2F)/gi;
const RESERVED_ESCAPE = /%(2[1346-9A-CF]|3[ABDF]|40|5[BD])/gi;
const UNRESERVED = /[A-Za-z0-9\-._~]/;
const SUB_DELIMS_LEFT = /[!'()*]/g;

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function normalizeEscape(encoded: string, digits: string): string {
  const character = String.fromCharCode(Number.parseInt(digits, 16));
  return UNRESERVED.test(character) ? character : encoded.toUpperCase();
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
