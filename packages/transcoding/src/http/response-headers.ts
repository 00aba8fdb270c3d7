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
/** Headers that describe the encoding of the body, which the server and the transcoder set, not the handler. */
const FRAMING: ReadonlySet<string> = new Set(["content-length", "content-encoding"]);
/** Matches all characters except visible ASCII and inner spaces. HTTP/2 forbids spaces at either end (RFC 9113 section 8.2.1). */
const UNSAFE = /^ |[^\x20-\x7e]| $/u;
const ALL_UNSAFE = /^ |[^\x20-\x7e]| $/gu;

/**
 * Appends header fields, such as those from a handler, after fields of the same name. Skips the fields in `HOP_BY_HOP` and `FRAMING`.
 * Encodes characters that some server or client would reject, although `Headers` accepts them.
 */
export function appendHeaders(headers: MutableHeaders, entries: Iterable<readonly [string, string]>): void {
  for (const [key, value] of entries) {
    const name = key.toLowerCase();
    if (!HOP_BY_HOP.has(name) && !FRAMING.has(name)) appendHeader(headers, name, textToHeaderValue(value));
  }
}

/** Appends a header field after fields of the same name. The name is in lower case. */
export function appendHeader(headers: MutableHeaders, name: string, value: string): void {
  const before = headers[name];
  headers[name] = before === undefined ? value : [before, value].flat();
}

/** Percent-encodes all characters except visible ASCII and inner spaces, so that every server can send the value (RFC 9110 section 5.5). */
export function textToHeaderValue(text: string): string {
  // Most values need no encoding, and the test is much faster.
  if (!UNSAFE.test(text)) return text;
  return text.replace(ALL_UNSAFE, (character) => encodeURIComponent(character.toWellFormed()));
}
