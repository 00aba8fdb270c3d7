import { decodeFormText } from "../decode/decode-query.js";
import { RequestError } from "../http/request-error.js";
import { parseRequestTarget } from "../routing/request-target.js";

/** The query parameters of a Connect GET. */
export type ConnectQuery = ReadonlyMap<string, string>;

/**
 * Parses the query of a request target. The first of several parameters of a name counts. Throws a `RequestError` for a malformed
 * escape and for bytes that are not UTF-8, which no text could restore.
 */
export function parseConnectQuery(target: string): ConnectQuery {
  const query = new Map<string, string>();
  for (const pair of (parseRequestTarget(target).query ?? "").split("&")) {
    const equals = pair.indexOf("=");
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    const value = decode(equals === -1 ? "" : pair.slice(equals + 1));
    if (!query.has(name)) query.set(name, value);
  }
  return query;
}

function decode(raw: string): string {
  const text = decodeFormText(raw);
  if (text !== undefined) return text;
  throw new RequestError(
    "PATH_MALFORMED",
    "the query must be percent-encoded UTF-8: send a binary message in base64, with base64=1",
  );
}
