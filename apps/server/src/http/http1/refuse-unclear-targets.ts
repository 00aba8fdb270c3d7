import type { IncomingMessage } from "node:http";
import { type HttpRefusal, UNUSABLE_HOST, UNUSABLE_TARGET } from "../../errors/http-refusal.js";
import type { RequestHandler } from "../request-handler.js";
import { isUsableHost } from "./usable-host.js";

/**
 * Refuses requests of HTTP/1.1 of which two readers could differ about what they are for, and all with a host that no URL can be built
 * of.
 */
export function refuseUnclearTargets(next: RequestHandler): RequestHandler {
  return (request, response) => {
    const { ":authority": authority, host = authority } = request.headers;
    let refusal = "stream" in request ? undefined : findRefusal(request);
    if (refusal === undefined && typeof host === "string" && !isUsableHost(host)) refusal = UNUSABLE_HOST;
    if (refusal === undefined) return next(request, response);
    response.writeHead(refusal.statusCode, { "content-type": "application/json" });
    response.end(refusal.body);
  };
}

function findRefusal(request: IncomingMessage): HttpRefusal | undefined {
  const { url = "", method, httpVersion } = request;
  // RFC 9112 section 3.2. Node keeps the first of several, and would refuse none in another shape.
  const hosts = countHosts(request);
  if (hosts > 1 || (hosts === 0 && httpVersion === "1.1")) return UNUSABLE_HOST;
  return url.startsWith("/") || (url === "*" && method === "OPTIONS") ? undefined : UNUSABLE_TARGET;
}

function countHosts({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === "host") count++;
  }
  return count;
}
