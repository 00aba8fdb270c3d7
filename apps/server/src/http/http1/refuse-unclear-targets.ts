import type { IncomingMessage } from "node:http";
import { type HttpRefusal, UNUSABLE_HOST, UNUSABLE_TARGET } from "../../errors/http-refusal.js";
import type { RequestHandler } from "../request-handler.js";

/**
 * Refuses requests of HTTP/1.1 of which two readers could differ about what they are for, and those with a Host of which Connect can
 * build no URL: what that throws would end the process.
 */
export function refuseUnclearTargets(next: RequestHandler): RequestHandler {
  return (request, response) => {
    let refusal = "stream" in request ? undefined : findRefusal(request);
    try {
      if (refusal === undefined) return next(request, response);
    } catch {
      refusal = UNUSABLE_HOST;
    }
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
