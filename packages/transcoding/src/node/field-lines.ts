import type { IncomingHttpHeaders } from "node:http2";

/**
 * Names of header fields that have a single value. `node:http` keeps only the first line of such a field, and joins the lines of all other fields.
 */
const SINGLE = new Set([
  ...["age", "authorization", "content-length", "content-type", "etag", "expires", "from", "host", "if-modified-since"],
  ...["if-unmodified-since", "last-modified", "location", "max-forwards", "proxy-authorization", "referer"],
  ...["retry-after", "server", "user-agent"],
]);

/**
 * Removes the spaces and tabs around field values, which are not part of the values (RFC 9110 section 5.5). Node keeps the spaces and tabs if the
 * option `strictFieldWhitespaceValidation` is false. Otherwise, Node drops the fields that have them.
 *
 * @param rawHeaders alternating names and values. If no value needs trimming, the same array is returned.
 */
export function trimFieldValues(rawHeaders: readonly string[]): readonly string[] {
  for (let at = 1; at < rawHeaders.length; at += 2) {
    const value = rawHeaders[at] as string;
    if (isSpace(value, 0) || isSpace(value, value.length - 1)) {
      return rawHeaders.map((each, index) => (index % 2 === 0 ? each : trim(each)));
    }
  }
  return rawHeaders;
}

/** Joins the lines of each field as `node:http` does, so that a request means the same over HTTP/1.1 and HTTP/2. */
export function joinFieldLines(rawHeaders: readonly string[]): IncomingHttpHeaders {
  const fields: Record<string, string> = Object.create(null);
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name, value] = [rawHeaders[at] as string, rawHeaders[at + 1] as string];
    const earlier = fields[name];
    if (earlier === undefined) fields[name] = value;
    else if (!SINGLE.has(name)) fields[name] = `${earlier}${name === "cookie" ? "; " : ", "}${value}`;
  }
  return fields;
}

function trim(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isSpace(text, start)) start++;
  while (end > start && isSpace(text, end - 1)) end--;
  return text.slice(start, end);
}

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x09;
}
