import type { MutableHeaders } from "./http-response.js";

/** The names, in lower case, of the headers that apply to a single connection and that proxies do not forward (RFC 9110 section 7.6.1). */
export const HOP_BY_HOP_HEADERS: ReadonlySet<string> = new Set([
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
/** Headers about the length and encoding of the body. The server and the transcoder set them, so handlers must not. */
const FRAMING: ReadonlySet<string> = new Set(["content-length", "content-encoding"]);
/** Matches all characters except visible ASCII and inner spaces. HTTP/2 forbids spaces at the start and end of a value (RFC 9113 section 8.2.1). */
const UNSAFE = /^ |[^\x20-\x7e]| $/u;
const ALL_UNSAFE = /^ |[^\x20-\x7e]| $/gu;

/**
 * Appends headers, such as those that a handler has set, after existing headers of the same name. Skips those in `HOP_BY_HOP_HEADERS` and `FRAMING`.
 * Percent-encodes characters that `Headers` accepts but that some servers or clients would reject.
 */
export function appendHeaders(headers: MutableHeaders, entries: Iterable<readonly [string, string]>): void {
  for (const [key, value] of entries) {
    const name = key.toLowerCase();
    if (!HOP_BY_HOP_HEADERS.has(name) && !FRAMING.has(name)) appendHeader(headers, name, textToHeaderValue(value));
  }
}

/** Appends a header, whose name is given in lower case, after existing headers of the same name. */
export function appendHeader(headers: MutableHeaders, name: string, value: string): void {
  const before = headers[name];
  headers[name] = before === undefined ? value : [before, value].flat();
}

/** Percent-encodes all characters except visible ASCII and inner spaces, so that every server can send the value (RFC 9110 section 5.5). */
export function textToHeaderValue(text: string): string {
  // Most values need no encoding, and this test is much faster than replacing.
  if (!UNSAFE.test(text)) return text;
  return text.replace(ALL_UNSAFE, (character) => encodeURIComponent(character.toWellFormed()));
}
