/** How the variables that can span several segments are decoded. */
export interface PathDecoding {
  /** Whether all reserved characters of RFC 6570, section 1.5, stay encoded there, not only `/`. Default: false. */
  readonly keepReserved?: boolean;
}

/**
 * Says what keeps a path from being decoded: a malformed escape, escapes that are not UTF-8 (RFC 3629: overlong forms and
 * surrogates are not), or characters that no request target can hold (RFC 3986, section 2). Undefined when it can be
 * decoded.
 *
 * An escape never counts across a slash, so that what holds for the path holds for each of its segments. Characters that
 * are only unusual there, such as `[` or `|`, are taken as they are.
 */
export function findPathProblem(path: string): string | undefined {
  if (!UNUSUAL.test(path)) return undefined;
  if (NOT_VISIBLE_ASCII.test(path)) return "the path must contain only visible ASCII: percent-encode other characters";
  if (MALFORMED_ESCAPE.test(path)) return "every % in the path must be followed by two hexadecimal digits";
  return isDecodable(path) ? undefined : "the percent-encoded bytes in the path must be UTF-8";
}

/**
 * Decodes the value of a variable that is exactly one segment, entirely and once.
 *
 * @throws URIError where `findPathProblem` finds one
 */
export function decodeSegment(text: string): string {
  return text.includes("%") ? decodeURIComponent(text) : text;
}

/**
 * Decodes the value of a variable that can span several segments, once: all but `%2F`, which stays as it came, in either
 * case, so that it is still told from the slash between two segments (google/api/http.proto, "Path template syntax").
 *
 * @throws URIError where `findPathProblem` finds one
 */
export function decodeSegments(text: string, { keepReserved = false }: PathDecoding = {}): string {
  if (!text.includes("%")) return text;
  // Escaping the escapes that stay makes them come out of the one decoding as they went in.
  return decodeURIComponent(text.replace(keepReserved ? RESERVED_ESCAPE : SLASH_ESCAPE, "%25$1"));
}

/**
 * Encodes a value as one segment: everything but the unreserved characters of RFC 3986, section 2.3, as google/api/http.proto
 * has it. `decodeSegment` and `decodeSegments` without `keepReserved` give the value back.
 *
 * @throws URIError for a lone surrogate, which UTF-8 cannot say
 */
export function encodeSegment(value: string): string {
  return encodeURIComponent(value).replace(SUB_DELIMS_LEFT, percentEncode);
}

/**
 * The normal form in which literals are compared: escapes of unreserved characters decoded, the digits of the others in
 * upper case (RFC 3986, section 6.2.2). An escaped reserved character stays another one than its bare self.
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
