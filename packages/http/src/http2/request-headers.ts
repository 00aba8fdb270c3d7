import type { IncomingHttpHeaders } from "node:http2";
import { countFields } from "../count-fields.js";
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

/** The pseudo-headers of a request (RFC 9113 section 8.3.1); undefined where one is missing. */
interface PseudoHeaders {
  ":method"?: string | undefined;
  ":scheme"?: string | undefined;
  ":authority"?: string | undefined;
  ":path"?: string | undefined;
}

/** The head of a request. */
export class RequestHead {
  /** The header fields as received, pseudo-headers among them. */
  readonly fields: HeaderFields;
  readonly method: string;
  readonly path: string;
  /** The other headers; `host` has the authority. Not to be changed: other requests may have the same. */
  readonly headers: IncomingHttpHeaders;
  /** The Expect header. */
  readonly expect: string | undefined;
  /** The authority, or the Host header without one. */
  readonly host: string | undefined;
  /** The length of the body; undefined if it is not told. */
  readonly contentLength: number | undefined;
  /** Whether it names more than one host, or one more than once. */
  readonly hasManyHosts: boolean;

  /** @param headers without pseudo-headers; becomes the head's own. */
  constructor(fields: HeaderFields, pseudo: PseudoHeaders, headers: IncomingHttpHeaders, isChecked: boolean) {
    this.fields = fields;
    this.method = pseudo[":method"] ?? "";
    this.path = pseudo[":path"] ?? "";
    this.headers = headers;
    this.contentLength = isChecked ? readContentLength(headers) : undefined;
    this.hasManyHosts = isChecked && namesManyHosts(fields, headers.host, pseudo);
    if (pseudo[":authority"] !== undefined) headers.host = pseudo[":authority"];
    // Headers are an object without a fixed shape, which is slow to look into. Heads are often the same.
    this.expect = headers.expect;
    this.host = headers.host;
  }
}

/** Reads the headers of a request. Throws a `StreamError` for those of no request (RFC 9113 section 8.3). */
export function readRequestHead(fields: HeaderFields): RequestHead {
  const pseudo: PseudoHeaders = {};
  const headers = readFields(fields, pseudo);
  const isConnect = pseudo[":method"] === "CONNECT";
  const isWhole = isConnect
    ? pseudo[":authority"] !== undefined && pseudo[":scheme"] === undefined && pseudo[":path"] === undefined
    : pseudo[":method"] !== undefined && pseudo[":scheme"] !== undefined && isPath(pseudo);
  if (!isWhole) throw malformed("a pseudo-header is missing, malformed or repeated");
  return new RequestHead(fields, pseudo, headers, true);
}

/** RFC 9113 section 8.3.1. */
function isPath({ ":path": path, ":method": method }: PseudoHeaders): boolean {
  return path !== undefined && (path.startsWith("/") || (path === "*" && method === "OPTIONS"));
}

/** The head of a request with too many headers: those that are left, unchecked, of each name the first. */
export function readTruncatedHead(fields: HeaderFields): RequestHead {
  const pseudo: Record<string, string> = {};
  const headers: IncomingHttpHeaders = Object.create(null);
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] as string;
    if (PSEUDO_HEADERS.has(name)) pseudo[name] ??= fields[at + 1] as string;
    else if (!name.startsWith(":")) headers[name] ??= fields[at + 1] as string;
  }
  return new RequestHead(fields, pseudo, headers, false);
}

/** Whether a request names several hosts: RFC 9113 section 8.3.1, and RFC 9112 section 3.2 for a repeated one. */
export function namesManyHosts(
  fields: readonly string[],
  host: string | undefined,
  { ":authority": authority, ":scheme": scheme }: PseudoHeaders,
): boolean {
  if (host === undefined) return false;
  const isOther =
    authority !== undefined && host !== authority && normalize(host, scheme) !== normalize(authority, scheme);
  return isOther || countFields(fields, "host") > 1;
}

/** RFC 3986 section 6.2: without regard to case, and without the port that the scheme has anyway. */
function normalize(authority: string, scheme: string | undefined): string {
  return authority.toLowerCase().replace(scheme === "https" ? /:443$/ : /:80$/, "");
}

/** Checks the trailers of a request. Throws a `StreamError` for malformed ones. */
export function requireRequestTrailers(fields: HeaderFields): void {
  readFields(fields, undefined);
}

function readContentLength({ "content-length": length }: IncomingHttpHeaders): number | undefined {
  if (length === undefined) return undefined;
  if (!DIGITS.test(length)) throw malformed("content-length is not a number");
  return Number(length);
}

/** Reads the regular fields, and puts pseudo-headers where they go; without a place for them there may be none. */
function readFields(fields: HeaderFields, pseudo: PseudoHeaders | undefined): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = Object.create(null);
  let isRegular = false;
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] as string;
    const value = fields[at + 1] as string;
    if (BAD_VALUE.test(value)) throw malformed("a header value has an invalid character");
    if (name.startsWith(":")) {
      if (pseudo === undefined || isRegular || !PSEUDO_HEADERS.has(name) || name in pseudo) {
        throw malformed("a pseudo-header is unknown or misplaced");
      }
      pseudo[name as keyof PseudoHeaders] = value;
    } else {
      isRegular = true;
      requireAllowed(name, value);
      addField(headers, name, value);
    }
  }
  return headers;
}

function requireAllowed(name: string, value: string): void {
  if (!NAME.test(name)) throw malformed("a header name is invalid");
  if (OF_CONNECTIONS.has(name)) throw malformed("a connection-specific header is not allowed in HTTP/2");
  if (name === "te" && value.toLowerCase() !== "trailers") throw malformed("te is other than trailers");
}

function addField(headers: IncomingHttpHeaders, name: string, value: string): void {
  const before = headers[name];
  if (before === undefined) headers[name] = name === "set-cookie" ? [value] : value;
  else if (Array.isArray(before)) before.push(value);
  else if (name === "content-length") {
    if (before !== value) throw malformed("two headers contradict each other");
  } else if (name === "cookie") headers[name] = `${before}; ${value}`;
  else if (!SINGLE.has(name)) headers[name] = `${before}, ${value}`;
}

function malformed(message: string): StreamError {
  return new StreamError(ErrorCode.PROTOCOL_ERROR, message);
}
