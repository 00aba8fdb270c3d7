import type { NodeRequest, NodeResponse } from "./node-exchange.js";

/**
 * Sends 100 (Continue) when the body of a request is read: a request that is refused before that gets its refusal alone. Its HTTP/1.1
 * connection ends then, because the client may still send the body or not (RFC 9110 section 10.1.1).
 */
export function continueWhenRead(request: NodeRequest, response: NodeResponse): void {
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
