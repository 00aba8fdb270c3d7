import type { ContextValues } from "@connectrpc/connect";
import type { ContentCoding } from "../responses/content-coding.js";
import type { Transcoder } from "../transcoder.js";
import { FetchTranscoderRequest } from "./fetch-request.js";
import { createFetchResponse } from "./fetch-response.js";
import { createWebContentCodings } from "./web-content-coding.js";

/** How a transcoder is bound to a runtime of the Fetch standard. */
export interface FetchHandlerOptions {
  /** The context values of a request. */
  readonly contextValues?: (request: Request) => ContextValues;
  /** Takes the requests whose path matches no rule. Default: they are answered with 404. */
  readonly fallback?: (request: Request) => Response | Promise<Response>;
  /** The content codings, the preferred first. Default: those of the runtime's `CompressionStream`. */
  readonly codings?: readonly ContentCoding[];
}

/**
 * Creates a function that serves a transcoder from a request to a response of the Fetch standard. The path is taken from
 * the text of `request.url`, which the runtime has normalised as the URL standard says. Trailers travel as headers: a
 * Response has none.
 */
export function createFetchHandler(
  transcoder: Transcoder,
  options: FetchHandlerOptions = {},
): (request: Request) => Promise<Response> {
  const { contextValues, fallback, codings = createWebContentCodings() } = options;
  return async (request) => {
    const answer = await transcoder.handle(new FetchTranscoderRequest(request, contextValues?.(request), codings));
    if (fallback !== undefined && !answer.matched) return fallback(request);
    return createFetchResponse(request, answer);
  };
}
