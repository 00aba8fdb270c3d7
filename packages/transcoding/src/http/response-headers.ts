import { isHopByHop } from "./hop-by-hop.js";
import type { MutableHeaders } from "./http-response.js";

/** What says how the body travels: the runtime's and the transcoder's to set, not the handler's. */
const FRAMING: ReadonlySet<string> = new Set(["content-length", "content-encoding"]);
const UNSAFE = /[^\t\x20-\x7e]/u;
const ALL_UNSAFE = /[^\t\x20-\x7e]/gu;

/**
 * Adds header fields, such as those that a handler set, after those of the same name. Fields that end at this hop
 * (RFC 9110 section 7.6.1) and those that say how the body travels are left out.
 */
export function appendHeaders(headers: MutableHeaders, entries: Iterable<readonly [string, string]>): void {
  for (const [key, value] of entries) {
    const name = key.toLowerCase();
    if (!isHopByHop(name) && !FRAMING.has(name)) appendHeader(headers, name, value);
  }
}

/** Adds a header field after those of the same name; the name is in lower case. */
export function appendHeader(headers: MutableHeaders, name: string, value: string): void {
  const before = headers[name];
  headers[name] = before === undefined ? value : [before, value].flat();
}

/** A text as a header value: what RFC 9110 section 5.5 advises against, beyond visible ASCII, is percent-encoded. */
export function textToHeaderValue(text: string): string {
  // Most have none, and to look for one takes a fraction of the time.
  if (!UNSAFE.test(text)) return text;
  return text.replace(ALL_UNSAFE, (character) => encodeURIComponent(character.toWellFormed()));
}
