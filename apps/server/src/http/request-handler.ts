import type { WholeRequestHandler } from "@calltrack/http1";
import type { Http2Stream } from "@calltrack/http2";
import type { connectNodeAdapter } from "@connectrpc/connect-node";

/** Handles the requests of HTTP/1.1, and those of HTTP/2 as Node's compatibility API has them. */
export type RequestHandler = ReturnType<typeof connectNodeAdapter>;

/** Takes a stream of HTTP/2; false leaves it to be handled as a request. */
export type StreamHandler = (stream: Http2Stream) => boolean;

/** What takes requests: those of HTTP/1.1 that come as a whole, the streams of HTTP/2, and what is left of both. */
export interface RequestHandlers {
  readonly handleRequest: RequestHandler;
  readonly handleStream: StreamHandler;
  readonly handleWhole: WholeRequestHandler;
}
