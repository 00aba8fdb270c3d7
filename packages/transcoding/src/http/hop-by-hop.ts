const HOP_BY_HOP: ReadonlySet<string> = new Set([
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

/**
 * Tells whether a header field ends at this hop (RFC 9110 section 7.6.1): it says something about the connection and
 * nothing about the message. `name` is in lower case.
 */
export function isHopByHop(name: string): boolean {
  return HOP_BY_HOP.has(name);
}
