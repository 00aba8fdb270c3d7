import { isHopByHop } from "../http/hop-by-hop.js";
import type { HttpRequest } from "../http/http-request.js";

/**
 * The headers of a request as handlers and interceptors get them: all but those that end at this hop (RFC 9110 section
 * 7.6.1), of which `Connection` may name more.
 */
export function createRequestHeader(request: HttpRequest): Headers {
  const header = new Headers();
  const dropped = connectionOptions(request.header("connection"));
  for (const [name, value] of request.headerEntries()) {
    if (!isHopByHop(name) && !dropped.includes(name)) header.append(name, value);
  }
  return header;
}

function connectionOptions(connection: string | undefined): readonly string[] {
  return connection === undefined ? [] : connection.toLowerCase().split(/[ \t]*,[ \t]*/);
}
