import { Http1Request, type NodeRequest } from "@calltrack/transcoding/node";
import type { RequestHandler } from "./request-handler.js";

/** Returns a handler that rejects every request, because the request was sent without TLS to a port with TLS. */
export function rejectCleartextRequests(handler: RequestHandler): RequestHandler {
  const refuse = (request: NodeRequest) => {
    if (request instanceof Http1Request) request.isLast = true;
    handler.refuse(request, "TLS_REQUIRED");
  };
  return { ...handler, handle: refuse, refuse };
}
