import type { IncomingHttpHeaders } from "node:http";
import { isValidHost } from "../host.js";

/** The head of a plain request, which all HTTP/1.1 parsers interpret in the same way. */
export interface PlainRequestHead extends RequestFields {
  readonly method: string;
  /** In origin form, as received (RFC 9112 section 3.2.1). */
  readonly target: string;
}

/** The header fields of a plain request. */
interface RequestFields {
  /** By name in lower case. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** Length of the body in bytes; 0 without a body. */
  readonly contentLength: number;
  /** Whether the client requests `connection: close`. */
  readonly isLast: boolean;
}

const REQUEST_LINE = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\/[\x21-\x7e]*) HTTP\/1\.1\r\n/;

/**
 * A field line of visible ASCII with its line end, and no white space before the colon (RFC 9112 section 5.1). The lookahead and the
 * structure of the value leave only one way to match white space, so that long runs of it cause no backtracking.
 */
const FIELD_LINE = /([\w!#$%&'*+.^`|~-]+):[\t ]*(?![\t ])((?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?)[\t ]*\r\n/y;

const PLAIN_LENGTH = /^\d{1,9}$/;

/** Fields that change how the body or the connection must be read. */
const NOT_PLAIN_FIELDS: ReadonlySet<string> = new Set([
  "__proto__",
  "expect",
  "http2-settings",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Requests with more fields are handed over. Ordinary clients send far fewer, and Node drops fields beyond its own limit. */
const MAX_FIELDS = 100;

/** The fields of a longer head are not cached, because an idle connection would keep them in memory. */
const MAX_CACHED_BYTES = 4096;

/** Parses the request heads of a connection. */
export class RequestHeadReader {
  #block = "";
  #fields: RequestFields | undefined;

  /**
   * @param text the head in Latin-1, from the request line to the end of the last field line.
   * @returns undefined if the request is malformed or not plain.
   */
  read(text: string): PlainRequestHead | undefined {
    const line = REQUEST_LINE.exec(text);
    if (line === null) return undefined;
    const [{ length }, method, target] = line as unknown as [string, string, string];
    const block = text.slice(length);
    // Most requests of a connection have the same fields as the previous one.
    const fields = block === this.#block ? this.#fields : readFields(block);
    if (text.length <= MAX_CACHED_BYTES) {
      this.#block = block;
      this.#fields = fields;
    }
    if (fields === undefined) return undefined;
    const { headers, contentLength, isLast } = fields;
    return { method, target, headers, contentLength, isLast };
  }
}

function readFields(block: string): RequestFields | undefined {
  const headers: Record<string, string> = {};
  FIELD_LINE.lastIndex = 0;
  let count = 0;
  for (let at = 0; at < block.length; at = FIELD_LINE.lastIndex) {
    const line = FIELD_LINE.exec(block);
    if (line === null || ++count > MAX_FIELDS) return undefined;
    const name = (line[1] as string).toLowerCase();
    // The rules for repeated fields differ by name, so such requests are not plain.
    if (NOT_PLAIN_FIELDS.has(name) || headers[name] !== undefined) return undefined;
    headers[name] = line[2] as string;
  }
  const { host, connection = "keep-alive", "content-length": length = "0" } = headers;
  const isLast = connection.toLowerCase() === "close";
  if (!isLast && connection.toLowerCase() !== "keep-alive") return undefined;
  if (host === undefined || !isValidHost(host) || !PLAIN_LENGTH.test(length)) return undefined;
  return { headers, contentLength: Number(length), isLast };
}
