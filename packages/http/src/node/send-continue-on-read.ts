import type { NodeRequest, NodeResponse } from "./node-exchange.js";

/**
 * Sends 100 (Continue) when the handler starts to read the body. If it responds without reading, the HTTP/1.1 connection closes, because
 * the client may or may not send the body (RFC 9110 section 10.1.1).
 */
export function sendContinueOnRead(request: NodeRequest, response: NodeResponse): void {
  const read = request._read;
  const http1 = "shouldKeepAlive" in response ? response : undefined;
  const shouldKeepAlive = http1?.shouldKeepAlive ?? true;
  if (http1 !== undefined) http1.shouldKeepAlive = false;
  request._read = (size) => {
    request._read = read;
    if (!response.headersSent) {
      if (http1 !== undefined) http1.shouldKeepAlive = shouldKeepAlive;
      response.writeContinue();
    }
    read.call(request, size);
  };
}
