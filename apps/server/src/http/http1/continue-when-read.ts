import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * Sends 100 (Continue) when the body of a request is read, as over HTTP/2: a request that is refused before that gets its refusal
 * alone. Its connection ends then, as the client may still send the body or not (RFC 9110 section 10.1.1).
 */
export function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  const read = request._read;
  const { shouldKeepAlive } = response;
  response.shouldKeepAlive = false;
  request._read = (size) => {
    request._read = read;
    if (!response.headersSent) {
      response.shouldKeepAlive = shouldKeepAlive;
      response.writeContinue();
    }
    read.call(request, size);
  };
}
