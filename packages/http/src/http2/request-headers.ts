import type { IncomingHttpHeaders } from "node:http2";
import type { HeaderFields } from "./hpack/hpack-decoder.js";
import { ErrorCode, StreamError } from "./http2-error.js";

const PSEUDO_HEADERS: ReadonlySet<string> = new Set([":method", ":scheme", ":authority", ":path"]);
/** RFC 9113 section 8.2.2. */
const OF_CONNECTIONS: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);
/** What comes a second time counts for nothing, as in node:http. */
const SINGLE: ReadonlySet<string> = new Set([
  "age",
  "authorization",
  "content-encoding",
  "content-type",
  "etag",
  "expires",
  "from",
  "host",
  "if-modified-since",
  "if-unmodified-since",
  "last-modified",
  "location",
  "max-forwards",
  "proxy-authorization",
  "referer",
  "retry-after",
  "user-agent",
]);
/** RFC 9110 section 5.6.2, without capitals (RFC 9113 section 8.2.1). */
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const BAD_VALUE = /^[\t ]|[\t ]$|[\0\r\n]/;
const DIGITS = /^\d+$/;

/** What a request begins with. */
export interface RequestHead {
  /** The headers as they came. */
  readonly fields: HeaderFields;
  /** The headers as node:http2 has them. */
  readonly headers: IncomingHttpHeaders;
  /** The length of the body; undefined if it is not told. */
  readonly contentLength: number | undefined;
  /** Whether it names more than one host, or one more than once. */
  readonly hasManyHosts: boolean;
}

/** Reads the headers of a request. Throws a `StreamError` for those of no request (RFC 9113 section 8.3). */
export function readRequestHead(fields: HeaderFields): RequestHead {
  const headers = readFields(fields, true);
  const isConnect = headers[":method"] === "CONNECT";
  const isWhole = isConnect
    ? headers[":authority"] !== undefined && headers[":scheme"] === undefined && headers[":path"] === undefined
    : headers[":method"] !== undefined && headers[":scheme"] !== undefined && isPath(headers);
  if (!isWhole) throw malformed("a pseudo-header is missing, malformed, or one too many");
  return { fields, headers, contentLength: readContentLength(headers), hasManyHosts: hasManyHosts(fields, headers) };
}

/** RFC 9113 section 8.3.1. */
function isPath({ ":path": path, ":method": method }: IncomingHttpHeaders): boolean {
  return path !== undefined && (path.startsWith("/") || (path === "*" && method === "OPTIONS"));
}

/** The head of a request with too many headers: those that are left, unchecked, of each name the first. */
export function readTruncatedHead(fields: HeaderFields): RequestHead {
  const headers: IncomingHttpHeaders = Object.create(null);
  for (let at = 0; at < fields.length; at += 2) headers[fields[at] as string] ??= fields[at + 1] as string;
  return { fields, headers, contentLength: undefined, hasManyHosts: false };
}

/** RFC 9113 section 8.3.1, and RFC 9112 section 3.2 for a host that comes twice. */
function hasManyHosts(
  fields: HeaderFields,
  { host, ":authority": authority, ":scheme": scheme }: IncomingHttpHeaders,
): boolean {
  if (host === undefined) return false;
  const isOther =
    authority !== undefined && host !== authority && normalize(host, scheme) !== normalize(authority, scheme);
  return isOther || fields.filter((text, at) => at % 2 === 0 && text === "host").length > 1;
}

/** RFC 3986 section 6.2: without regard to case, and without the port that the scheme has anyway. */
function normalize(authority: string | string[], scheme: string | string[] | undefined): string {
  return String(authority)
    .toLowerCase()
    .replace(scheme === "https" ? /:443$/ : /:80$/, "");
}

/** The trailers of a request. Throws a `StreamError` for those that are none. */
export function readRequestTrailers(fields: HeaderFields): IncomingHttpHeaders {
  return readFields(fields, false);
}

function readContentLength({ "content-length": length }: IncomingHttpHeaders): number | undefined {
  if (length === undefined) return undefined;
  if (!DIGITS.test(length)) throw malformed("content-length is no number");
  return Number(length);
}

function readFields(fields: HeaderFields, isRequest: boolean): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = Object.create(null);
  let isRegular = false;
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] as string;
    const value = fields[at + 1] as string;
    if (BAD_VALUE.test(value)) throw malformed("a field has a value that it may not have");
    if (name.startsWith(":")) {
      if (!isRequest || isRegular || !PSEUDO_HEADERS.has(name) || name in headers) {
        throw malformed("a pseudo-header is where it may not be");
      }
      headers[name] = value;
    } else {
      isRegular = true;
      requireAllowed(name, value);
      addField(headers, name, value);
    }
  }
  return headers;
}

function requireAllowed(name: string, value: string): void {
  if (!NAME.test(name)) throw malformed("a field has a name that is none");
  if (OF_CONNECTIONS.has(name)) throw malformed("a field is of HTTP/1.1");
  if (name === "te" && value.toLowerCase() !== "trailers") throw malformed("te is other than trailers");
}

function addField(headers: IncomingHttpHeaders, name: string, value: string): void {
  const before = headers[name];
  if (before === undefined) headers[name] = name === "set-cookie" ? [value] : value;
  else if (Array.isArray(before)) before.push(value);
  else if (name === "content-length") {
    if (before !== value) throw malformed("two fields contradict each other");
  } else if (name === "cookie") headers[name] = `${before}; ${value}`;
  else if (!SINGLE.has(name)) headers[name] = `${before}, ${value}`;
}

function malformed(message: string): StreamError {
  return new StreamError(ErrorCode.PROTOCOL_ERROR, message);
}
