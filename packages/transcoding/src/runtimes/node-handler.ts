import type { ContextValues } from "@connectrpc/connect";
import type { ContentCoding } from "../http/content-coding.js";
import type { HttpHandler } from "../http/http-handler.js";
import { createNodeContentCodings } from "./node-content-coding.js";
import { NodeExchange } from "./node-exchange.js";
import type { NodeRequest, NodeResponse } from "./node-request.js";

/** A request listener for the servers of `node:http`, `node:https` and `node:http2`. */
export type NodeHandler = (request: NodeRequest, response: NodeResponse) => void;

/** Options for Node's servers. */
export interface NodeHandlerOptions {
  /** Creates the context values of a request, like the option of `connectNodeAdapter`. */
  readonly contextValues?: (request: NodeRequest) => ContextValues;
  /** Serves requests that match no path of the handler. Default: 404. */
  readonly fallback?: NodeHandler;
  /** The content codings, the preferred one first. Default: zstd, br and gzip of Node's zlib. */
  readonly codings?: readonly ContentCoding[];
}

/**
 * Creates the request listener that serves a transcoder or an RPC handler on HTTP/1.1 and HTTP/2. It reads the request target
 * from `req.url`, so frameworks must not rewrite it.
 */
export function createNodeHandler(handler: HttpHandler, options: NodeHandlerOptions = {}): NodeHandler {
  const { contextValues, fallback = notFound, codings = createNodeContentCodings() } = options;
  const hasFallback = options.fallback !== undefined;
  return (request, response) => {
    const exchange = new NodeExchange(request, response, contextValues?.(request), codings);
    const answer = handler.handle(exchange);
    if (answer === undefined) {
      fallback(request, response);
      return;
    }
    answer
      .then((given) => (given.matched || !hasFallback ? exchange.respond(given) : fallback(request, response)))
      // Fails only if the connection fails, or if a stream cannot report its error in its format.
      .catch(() => exchange.cut());
  };
}

function notFound(_: NodeRequest, response: NodeResponse): void {
  response.writeHead(404);
  response.end();
}
