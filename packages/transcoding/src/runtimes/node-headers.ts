import type { IncomingHttpHeaders } from "node:http";

/** The value of a header, of repeated ones the list of all; the name is in lower case. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "object" ? value.join(", ") : value;
}

/** Whether a header is more than once among raw ones, names and values in turn; the name is in lower case. */
export function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const raw = rawHeaders[at] as string;
    if (raw.length === name.length && raw.toLowerCase() === name) count += 1;
  }
  return count > 1;
}

/** All headers as they came but the pseudo-headers of HTTP/2. */
export function headerEntriesOf(headers: IncomingHttpHeaders): readonly (readonly [string, string])[] {
  const entries: (readonly [string, string])[] = [];
  const authority = authorityOf(headers);
  // RFC 9113 section 8.3.1: over HTTP/2 the pseudo-header stands for Host.
  if (headers.host === undefined && authority !== undefined) entries.push(["host", authority]);
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined || name.startsWith(":")) continue;
    if (typeof value === "string") entries.push([name, value]);
    else for (const one of value) entries.push([name, one]);
  }
  return entries;
}

/** The host and port that a request names, in the pseudo-header of HTTP/2 or in Host. */
export function authorityOf(headers: IncomingHttpHeaders): string | undefined {
  return (headers[":authority"] as string | undefined) ?? headers.host;
}
