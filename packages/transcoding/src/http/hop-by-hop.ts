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
 * Reports whether a header field is hop-by-hop: it describes the connection, not the message (RFC 9110 section 7.6.1). `name`
 * must be in lower case.
 */
export function isHopByHop(name: string): boolean {
  return HOP_BY_HOP.has(name);
}
