import { decodeFormText } from "../decode/decode-query.js";
import { RequestError } from "../http/request-error.js";
import { parseRequestTarget } from "../routing/request-target.js";
import type { ConnectCall } from "./connect-codec.js";
import type { MessageFormats } from "./message-format.js";

/**
 * Parses the target of a unary GET (https://connectrpc.com/docs/protocol#unary-get-request). Throws a `RequestError` for an unknown
 * format, a malformed escape, and bytes that are not UTF-8, which no text could restore.
 */
export function parseConnectGet(target: string, formats: MessageFormats): ConnectCall {
  const query = new Map<string, string>();
  for (const pair of (parseRequestTarget(target).query ?? "").split("&")) {
    const equals = pair.indexOf("=");
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    const value = decode(equals === -1 ? "" : pair.slice(equals + 1));
    if (!query.has(name)) query.set(name, value);
  }
  const encoding = query.get("encoding");
  if (encoding === "json" || encoding === "proto") return { format: formats[encoding], query };
  throw new RequestError("CONTENT_TYPE_UNSUPPORTED", "the query parameter encoding must be json or proto");
}

function decode(raw: string): string {
  const text = decodeFormText(raw);
  if (text !== undefined) return text;
  throw new RequestError(
    "PATH_MALFORMED",
    "the query must be percent-encoded UTF-8: send a binary message in base64, with base64=1",
  );
}
