import type { IncomingHttpHeaders } from "node:http";
import { isHost } from "../host.js";

/** The head of a request that is plain: every reader of HTTP/1.1 understands it in the same way. */
export interface RequestHead extends RequestFields {
  readonly method: string;
  /** As it came, in origin form (RFC 9112 section 3.2.1). */
  readonly target: string;
}

/** What stands below the request line. */
interface RequestFields {
  /** By their names in lower case. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** How many bytes of a body follow; 0 for none. */
  readonly contentLength: number;
  /** Whether the client wants the connection to end with the answer. */
  readonly isLast: boolean;
}

const REQUEST_LINE = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\/[\x21-\x7e]*) HTTP\/1\.1\r\n/;

/**
 * A field line of visible ASCII, with no white space before the colon (RFC 9112 section 5.1), and its end. White space is tried in
 * one way only, however long it is: what comes first is no part of the value, and what comes last is no part of what comes first.
 */
const FIELD_LINE = /([\w!#$%&'*+.^`|~-]+):[\t ]*(?![\t ])((?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?)[\t ]*\r\n/y;

const PLAIN_LENGTH = /^\d{1,9}$/;

/** What says that the body, or the connection, is to be read in another way. */
const NOT_PLAIN: ReadonlySet<string> = new Set([
  "__proto__",
  "expect",
  "http2-settings",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** As many as no client sends that means it. Of thousands, Node drops some. */
const MOST_FIELDS = 100;

/** The fields of a longer head are not kept until the next request comes, which may be never. */
const MOST_KEPT_BYTES = 4096;

/** Reads the heads of the requests of a connection. */
export class HeadReader {
  #block = "";
  #fields: RequestFields | undefined;

  /**
   * @param text the head in Latin-1, from the request line to the end of the last field line.
   * @returns undefined if it is not plain: what it says, if it says anything, is another's to find out.
   */
  read(text: string): RequestHead | undefined {
    const line = REQUEST_LINE.exec(text);
    if (line === null) return undefined;
    const [{ length }, method, target] = line as unknown as [string, string, string];
    const block = text.slice(length);
    // Most requests of a connection have the fields of the one before.
    const fields = block === this.#block ? this.#fields : readFields(block);
    if (text.length <= MOST_KEPT_BYTES) {
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
    if (line === null || ++count > MOST_FIELDS) return undefined;
    const name = (line[1] as string).toLowerCase();
    // Of repeated ones, each name has a rule of its own.
    if (NOT_PLAIN.has(name) || headers[name] !== undefined) return undefined;
    headers[name] = line[2] as string;
  }
  const { host, connection = "keep-alive", "content-length": length = "0" } = headers;
  const isLast = connection.toLowerCase() === "close";
  if (!isLast && connection.toLowerCase() !== "keep-alive") return undefined;
  if (host === undefined || !isHost(host) || !PLAIN_LENGTH.test(length)) return undefined;
  return { headers, contentLength: Number(length), isLast };
}
