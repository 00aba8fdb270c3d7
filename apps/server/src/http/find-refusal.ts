import type { NodeRequest } from "@calltrack/transcoding/node";
import type { RefusalReason } from "../errors/http-errors.js";

/** A registered name or an IP address with an optional port (RFC 9110 section 7.2). Rejects characters that need percent-encoding. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/** The last valid host. Most requests have the same one. */
let lastHost = "";

/** Finds hosts and targets that two parsers could interpret differently (RFC 9112 section 3.2). */
export function findRefusal(request: NodeRequest): RefusalReason | undefined {
  const { method, target } = request;
  const host = request.header("host");
  // Node would use the first of several.
  if (request.isRepeated("host") || (host === undefined && request.httpVersion === "1.1")) return "HOST_MALFORMED";
  if (method === "CONNECT") return "METHOD_NOT_ALLOWED";
  if (!target.startsWith("/") && !(target === "*" && method === "OPTIONS")) return "PATH_MALFORMED";
  return host === undefined || isValidHost(host) ? undefined : "HOST_MALFORMED";
}

/** Whether the value of a Host header or an `:authority` is a valid part of a URL. */
function isValidHost(text: string): boolean {
  if (text === lastHost) return true;
  if (!HOST.test(text) || !URL.canParse(`http://${text}`)) return false;
  lastHost = text;
  return true;
}
