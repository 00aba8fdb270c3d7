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
 * Whether a header field is hop-by-hop (RFC 9110 section 7.6.1): it concerns the connection, not the message. `name` is in lower
 * case.
 */
export function isHopByHop(name: string): boolean {
  return HOP_BY_HOP.has(name);
}
