import type { ContextValues } from "@connectrpc/connect";
import type { ContentCoding } from "../responses/content-coding.js";
import type { Transcoder } from "../transcoder.js";
import { createNodeContentCodings } from "./node-content-coding.js";
import { type NodeRequest, type NodeResponse, NodeTranscoderRequest } from "./node-request.js";
import { cutNodeResponse, writeNodeResponse } from "./node-response.js";

/** A request listener for the servers of `node:http`, `node:https` and `node:http2`. */
export type NodeHandler = (request: NodeRequest, response: NodeResponse) => void;

/** How a transcoder is bound to Node's servers. */
export interface NodeHandlerOptions {
  /** The context values of a request, as `connectNodeAdapter` takes them. */
  readonly contextValues?: (request: NodeRequest) => ContextValues;
  /** Takes the requests whose path matches no rule. Default: they are answered with 404. */
  readonly fallback?: NodeHandler;
  /** The content codings, the preferred first. Default: zstd, br and gzip of Node's zlib. */
  readonly codings?: readonly ContentCoding[];
}

/**
 * Creates the request listener that serves a transcoder on HTTP/1.1 and HTTP/2. The request target is taken as `req.url`
 * has it, so a framework in front must not have rewritten it.
 */
export function createNodeHandler(transcoder: Transcoder, options: NodeHandlerOptions = {}): NodeHandler {
  const { contextValues, fallback, codings = createNodeContentCodings() } = options;
  const serve = async (request: NodeRequest, response: NodeResponse) => {
    const answer = await transcoder.handle(
      new NodeTranscoderRequest(request, response, contextValues?.(request), codings),
    );
    if (fallback === undefined || answer.matched) return writeNodeResponse(request, response, answer);
    fallback(request, response);
  };
  return (request, response) => {
    // What is left to fail is the connection, or a stream that has no other way to tell its error.
    serve(request, response).catch(() => cutNodeResponse(request, response));
  };
}
