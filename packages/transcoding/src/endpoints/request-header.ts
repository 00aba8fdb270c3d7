import type { HttpRequest } from "../http/http-request.js";
import { HOP_BY_HOP_HEADERS } from "../http/response-headers.js";

/** Returns the headers of a request without hop-by-hop headers (RFC 9110 section 7.6.1) and without the headers that `Connection` names. */
export function createRequestHeader(request: HttpRequest): Headers {
  const header = new Headers();
  const connection = (request.header("connection") ?? "").toLowerCase();
  const dropped = new Set(connection.split(",").map((name) => name.trim()));
  for (const [name, value] of request.headerEntries()) {
    if (!HOP_BY_HOP_HEADERS.has(name) && !dropped.has(name)) header.append(name, value);
  }
  return header;
}
