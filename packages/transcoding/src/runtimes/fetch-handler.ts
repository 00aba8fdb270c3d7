import type { ContextValues } from "@connectrpc/connect";
import type { ContentCoding } from "../http/content-coding.js";
import type { HttpHandler } from "../http/http-handler.js";
import { FetchHttpRequest } from "./fetch-request.js";
import { createFetchResponse } from "./fetch-response.js";
import { createWebContentCodings } from "./web-content-coding.js";

/** Options for runtimes with the Fetch standard. */
export interface FetchHandlerOptions {
  /** Creates the context values of a request. */
  readonly contextValues?: (request: Request) => ContextValues;
  /** Serves requests that match no path of the handler. Default: 404. */
  readonly fallback?: (request: Request) => Response | Promise<Response>;
  /** The content codings, the preferred one first. Default: those of the runtime's `CompressionStream`. */
  readonly codings?: readonly ContentCoding[];
}

/**
 * Creates a function that serves a transcoder or an RPC handler with the Request and Response of the Fetch standard. It takes the
 * path from `request.url`, which the runtime has normalized (URL standard). Trailers become headers, because a Response has no
 * trailers.
 */
export function createFetchHandler(
  handler: HttpHandler,
  options: FetchHandlerOptions = {},
): (request: Request) => Promise<Response> {
  const { contextValues, fallback, codings = createWebContentCodings() } = options;
  return async (request) => {
    const read = new FetchHttpRequest(request, contextValues?.(request), codings);
    const answer = await handler.handle(read);
    if (answer === undefined) return fallback?.(request) ?? new Response(null, { status: 404 });
    if (fallback !== undefined && !answer.matched) return fallback(request);
    return createFetchResponse(request, answer, () => read.cancel());
  };
}
