/** How to decode the values of path variables that can span several segments. */
export interface PathDecodingOptions {
  /** Whether all reserved characters (RFC 6570 section 1.5) stay encoded. If false, only the slash stays encoded. Default: false. */
  readonly keepReserved?: boolean;
}

/**
 * Describes why a path cannot be decoded: it has a malformed escape, escapes that are not UTF-8, or characters that are invalid in a request target
 * (RFC 3986 section 2). UTF-8 excludes overlong forms and surrogates (RFC 3629). Returns undefined for a valid path.
 *
 * A path is valid if and only if all its segments are valid, because an escape cannot span a slash. Characters such as `[` or `|` are accepted.
 */
export function findPathProblem(path: string): string | undefined {
  if (!UNUSUAL.test(path)) return undefined;
  if (NOT_VISIBLE_ASCII.test(path))
    return "the path must contain only visible ASCII characters: percent-encode all others";
  if (MALFORMED_ESCAPE.test(path)) return "every % in the path must be followed by two hexadecimal digits";
  return isDecodable(path) ? undefined : "the percent-encoded bytes in the path must be UTF-8";
}

/**
 * Decodes the value of a variable that is exactly one segment. Decodes all escapes, and each of them only once.
 *
 * @throws URIError for a value in which `findPathProblem` finds a problem.
 */
export function decodeSegment(text: string): string {
  return text.includes("%") ? decodeURIComponent(text) : text;
}

/**
 * Decodes the value of a variable that can span several segments. Leaves `%2F` and `%2f` encoded, because an encoded slash does not separate
 * segments (google/api/http.proto, "Path template syntax").
 *
 * @throws URIError for a value in which `findPathProblem` finds a problem.
 */
export function decodeSegments(text: string, { keepReserved = false }: PathDecodingOptions = {}): string {
  if (!text.includes("%")) return text;
  // Escapes that must stay are escaped once more, so that decoding restores them.
  return decodeURIComponent(text.replace(keepReserved ? RESERVED_ESCAPE : SLASH_ESCAPE, "%25$1"));
}

/**
 * Percent-encodes a value as one segment: all characters except the unreserved ones (RFC 3986 section 2.3), as google/api/http.proto requires.
 * `decodeSegment` restores the value, and so does `decodeSegments` without `keepReserved`.
 *
 * @throws URIError for an unpaired surrogate, which UTF-8 cannot represent.
 */
export function encodeSegment(value: string): string {
  return encodeURIComponent(value).replace(SUB_DELIMS_LEFT, percentEncode);
}

/**
 * Normalizes the escapes in a text, so that literals can be compared (RFC 3986 section 6.2.2). Decodes escaped unreserved characters, and writes the
 * digits of all other escapes in upper case. An escaped reserved character stays distinct from the unescaped character.
 */
export function normalizePathEscapes(text: string): string {
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
