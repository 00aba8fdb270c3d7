import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { progressOfRequest } from "@calltrack/http2";
import type { RequestExpiry } from "../../observability/requests/request-record.js";
import type { RequestHandler } from "../request-handler.js";
import { DEADLINE_EXCEEDED } from "./deadline-exceeded.js";

type Request = Parameters<RequestHandler>[0];
type Response = Parameters<RequestHandler>[1];

/** RFC 9113 section 7. */
const CANCEL = 8;

/** Observes and ends a request of `node:http`, or of HTTP/2 in the compatibility API. */
export class NodeRequestExpiry implements RequestExpiry {
  readonly #request: Request;
  readonly #response: Response;

  constructor(request: Request, response: Response) {
    this.#request = request;
    this.#response = response;
  }

  progressOf(): number | undefined {
    const [request, response] = [this.#request, this.#response];
    // The answer is complete: only the client has to act.
    if (response.writableEnded) return undefined;
    if ("stream" in request) return progressOfRequest(request as Http2ServerRequest);
    return progressOfHttp1(request, response as ServerResponse);
  }

  expire(): void {
    const [request, response] = [this.#request, this.#response];
    if (!response.headersSent) DEADLINE_EXCEEDED.answerRequest(request, response);
    else if ("stream" in request) request.stream.close(CANCEL);
    else (response as ServerResponse).destroy();
  }
}

/** Undefined also for a pipelined request, which has no socket before its turn. */
function progressOfHttp1(request: IncomingMessage, { socket }: ServerResponse): number | undefined {
  const isStillComing = !request.complete && request.readableLength === 0;
  if (socket === null || socket.writableLength > 0 || isStillComing) return undefined;
  return socket.bytesRead + socket.bytesWritten;
}
