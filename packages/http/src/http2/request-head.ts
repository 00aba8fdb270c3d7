import type { IncomingHttpHeaders } from "node:http2";
import { countFields } from "../count-fields.js";
import type { HeaderFields } from "./hpack/hpack-decoder.js";
import { ErrorCode, StreamError } from "./http2-error.js";

const PSEUDO_HEADERS: ReadonlySet<string> = new Set([":method", ":scheme", ":authority", ":path"]);
/** Connection-specific fields, which HTTP/2 forbids (RFC 9113 section 8.2.2). */
const CONNECTION_SPECIFIC: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);
/** Fields with a single value. Repeated values are ignored, as in node:http. */
const SINGLETON: ReadonlySet<string> = new Set([
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
/** A field name: a token (RFC 9110 section 5.6.2) in lower case (RFC 9113 section 8.2.1). */
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const BAD_VALUE = /^[\t ]|[\t ]$|[\0\r\n]/;
const DIGITS = /^\d+$/;

/** The pseudo-headers of a request (RFC 9113 section 8.3.1); undefined if missing. */
type PseudoHeaders = { [name in ":method" | ":scheme" | ":authority" | ":path"]?: string | undefined };

/** The head of a request. */
export class RequestHead {
  /** The header fields as received, including pseudo-headers. */
  readonly fields: HeaderFields;
  readonly method: string;
  readonly path: string;
  /** The headers without pseudo-headers; `host` is the authority. Do not modify: several requests may share the object. */
  readonly headers: IncomingHttpHeaders;
  /** The Expect header; undefined if missing. */
  readonly expect: string | undefined;
  /** The authority, or the Host header if the authority is missing. */
  readonly host: string | undefined;
  /** The value of content-length in bytes; undefined without the header. */
  readonly contentLength: number | undefined;
  /** Whether the request names several hosts, or has several Host fields. */
  readonly hasSeveralHosts: boolean;

  /**
   * @param headers the headers without pseudo-headers. The object is modified.
   * @throws StreamError if content-length is malformed.
   */
  constructor(fields: HeaderFields, pseudo: PseudoHeaders, headers: IncomingHttpHeaders) {
    this.fields = fields;
    this.method = pseudo[":method"] ?? "";
    this.path = pseudo[":path"] ?? "";
    this.headers = headers;
    this.contentLength = readContentLength(headers);
    this.hasSeveralHosts = namesSeveralHosts(fields, headers.host, pseudo);
    if (pseudo[":authority"] !== undefined) headers.host = pseudo[":authority"];
    // Lookups in the headers object are slow because it has no fixed shape. Heads are often shared by several requests.
    this.expect = headers.expect;
    this.host = headers.host;
  }
}

/**
 * Parses the headers of a request.
 *
 * @param isTruncated whether fields may be missing, because not all of them fit.
 * @throws StreamError if the headers are malformed (RFC 9113 section 8.3).
 */
export function readRequestHead(fields: HeaderFields, isTruncated: boolean): RequestHead {
  const pseudo: PseudoHeaders = {};
  const headers = readFields(fields, pseudo);
  const isConnect = pseudo[":method"] === "CONNECT";
  const isComplete = isConnect
    ? pseudo[":authority"] !== undefined && pseudo[":scheme"] === undefined && pseudo[":path"] === undefined
    : pseudo[":method"] !== undefined && pseudo[":scheme"] !== undefined && isPath(pseudo);
  if (!isComplete && !isTruncated) throw malformed("a pseudo-header is missing, malformed or not allowed");
  return new RequestHead(fields, pseudo, headers);
}

/** Whether the path is valid for the method (RFC 9113 section 8.3.1). */
function isPath({ ":path": path, ":method": method }: PseudoHeaders): boolean {
  return path !== undefined && (path.startsWith("/") || (path === "*" && method === "OPTIONS"));
}

/** Whether a request names several hosts (RFC 9113 section 8.3.1) or has several Host fields (RFC 9112 section 3.2). */
export function namesSeveralHosts(
  fields: readonly string[],
  host: string | undefined,
  { ":authority": authority, ":scheme": scheme }: PseudoHeaders,
): boolean {
  if (host === undefined) return false;
  const isOther =
    authority !== undefined && host !== authority && normalize(host, scheme) !== normalize(authority, scheme);
  return isOther || countFields(fields, "host") > 1;
}

/** Normalizes an authority to lower case, without the default port of the scheme (RFC 3986 section 6.2). */
function normalize(authority: string, scheme: string | undefined): string {
  return authority.toLowerCase().replace(scheme === "https" ? /:443$/ : /:80$/, "");
}

/** Throws a `StreamError` if the trailers of a request are malformed. */
export function requireRequestTrailers(fields: HeaderFields): void {
  readFields(fields, undefined);
}

function readContentLength({ "content-length": length }: IncomingHttpHeaders): number | undefined {
  if (length === undefined) return undefined;
  if (!DIGITS.test(length)) throw malformed("content-length is not a number");
  return Number(length);
}

/** Parses fields: returns the regular fields, and adds pseudo-headers to `pseudo`. If that is undefined, pseudo-headers are an error. */
function readFields(fields: HeaderFields, pseudo: PseudoHeaders | undefined): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = Object.create(null);
  let isRegular = false;
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] as string;
    const value = fields[at + 1] as string;
    if (BAD_VALUE.test(value)) throw malformed("a field value is malformed");
    if (name.startsWith(":")) {
      if (pseudo === undefined || isRegular || !PSEUDO_HEADERS.has(name) || name in pseudo) {
        throw malformed("a pseudo-header is unknown, repeated or misplaced");
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
  if (!NAME.test(name)) throw malformed("a field name is malformed");
  if (CONNECTION_SPECIFIC.has(name)) throw malformed("connection-specific fields are forbidden");
  if (name === "te" && value.toLowerCase() !== "trailers") throw malformed('te must be "trailers"');
}

function addField(headers: IncomingHttpHeaders, name: string, value: string): void {
  const before = headers[name];
  if (before === undefined) headers[name] = name === "set-cookie" ? [value] : value;
  else if (Array.isArray(before)) before.push(value);
  else if (name === "content-length") {
    if (before !== value) throw malformed("the content-length fields differ");
  } else if (name === "cookie") headers[name] = `${before}; ${value}`;
  else if (!SINGLETON.has(name)) headers[name] = `${before}, ${value}`;
}

function malformed(message: string): StreamError {
  return new StreamError(ErrorCode.PROTOCOL_ERROR, message);
}
