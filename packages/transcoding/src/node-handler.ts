import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { ContextValues } from "@connectrpc/connect";
import type { Transcoder } from "./transcoder.js";

/** A request of `node:http`, `node:https` or the compatibility API of `node:http2`. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;

/** A response of `node:http`, `node:https` or the compatibility API of `node:http2`. */
export type NodeResponse = ServerResponse | Http2ServerResponse;

/** A request listener for the servers of `node:http`, `node:https` and `node:http2`. */
export type NodeHandler = (request: NodeRequest, response: NodeResponse) => void;

/** How a transcoder is bound to Node's servers. */
export interface NodeHandlerOptions {
  /** The context values of a request, as `connectNodeAdapter` takes them. */
  readonly contextValues?: (request: NodeRequest) => ContextValues;
  /** Takes the requests whose path matches no rule. Default: they are answered with 404. */
  readonly fallback?: NodeHandler;
}

/** Creates the request listener that serves a transcoder on HTTP/1.1 and HTTP/2. */
export function createNodeHandler(_transcoder: Transcoder, _options: NodeHandlerOptions = {}): NodeHandler {
  throw new Error("not implemented");
}
