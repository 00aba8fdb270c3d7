import type { IncomingHttpHeaders } from "node:http";

/** Returns the value of a header; repeated headers are joined with commas. The name is in lower case. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "object" ? value.join(", ") : value;
}

/** Whether a header is repeated. `rawHeaders` alternates names and values; the name is in lower case. */
export function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const raw = rawHeaders[at] as string;
    if (raw.length === name.length && raw.toLowerCase() === name) count += 1;
  }
  return count > 1;
}

/** Lists all headers, without the pseudo-headers of HTTP/2. */
export function headerEntriesOf(headers: IncomingHttpHeaders): readonly (readonly [string, string])[] {
  const entries: (readonly [string, string])[] = [];
  const authority = authorityOf(headers);
  // RFC 9113 section 8.3.1: the pseudo-header :authority replaces Host.
  if (headers.host === undefined && authority !== undefined) entries.push(["host", authority]);
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined || name.startsWith(":")) continue;
    if (typeof value === "string") entries.push([name, value]);
    else for (const one of value) entries.push([name, one]);
  }
  return entries;
}

/** Returns the host and port of a request, from the pseudo-header :authority or from Host. */
export function authorityOf(headers: IncomingHttpHeaders): string | undefined {
  return (headers[":authority"] as string | undefined) ?? headers.host;
}
