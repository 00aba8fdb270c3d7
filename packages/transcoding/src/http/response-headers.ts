import type { MutableHeaders } from "./http-response.js";

/** The header fields that describe the connection, not the message (RFC 9110 section 7.6.1), in lower case. */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
/** Headers about the framing of the body, which the server and the transcoder set, not the handler. */
const FRAMING: ReadonlySet<string> = new Set(["content-length", "content-encoding"]);
/** All but visible ASCII and inner spaces. HTTP/2 forbids spaces at either end (RFC 9113 section 8.2.1). */
const UNSAFE = /^ |[^\x20-\x7e]| $/u;
const ALL_UNSAFE = /^ |[^\x20-\x7e]| $/gu;

/**
 * Appends header fields, such as those of a handler, after fields of the same name. Skips hop-by-hop fields (RFC 9110 section
 * 7.6.1) and those about the framing of the body. Encodes characters that some server or client would reject, although `Headers`
 * takes them.
 */
export function appendHeaders(headers: MutableHeaders, entries: Iterable<readonly [string, string]>): void {
  for (const [key, value] of entries) {
    const name = key.toLowerCase();
    if (!HOP_BY_HOP.has(name) && !FRAMING.has(name)) appendHeader(headers, name, textToHeaderValue(value));
  }
}

/** Appends a header field after fields of the same name; the name is in lower case. */
export function appendHeader(headers: MutableHeaders, name: string, value: string): void {
  const before = headers[name];
  headers[name] = before === undefined ? value : [before, value].flat();
}

/**
 * Converts text of a request or of data to a header value that every server can send (RFC 9110 section 5.5). Percent-encodes
 * characters other than visible ASCII and inner spaces.
 */
export function textToHeaderValue(text: string): string {
  // Most values need no encoding, and the test is much faster.
  if (!UNSAFE.test(text)) return text;
  return text.replace(ALL_UNSAFE, (character) => encodeURIComponent(character.toWellFormed()));
}
