import type { ContextValues } from "@connectrpc/connect";
import type { ContentCoding } from "../responses/content-coding.js";
import type { Transcoder } from "../transcoder.js";
import type { TranscoderResponse } from "../transcoder-response.js";
import { createNodeContentCodings } from "./node-content-coding.js";
import { type WholeRequest, WholeTranscoderRequest } from "./whole-request.js";

/** Takes a whole request; false leaves it, untouched, to another handler. */
export type WholeRequestHandler = (request: WholeRequest) => boolean;

/** How a transcoder is bound to a server of whole requests. */
export interface WholeRequestHandlerOptions {
  /** The context values of a request. */
  readonly contextValues?: (request: WholeRequest) => ContextValues;
  /** The content codings, the preferred first. Default: zstd, br and gzip of Node's zlib. */
  readonly codings?: readonly ContentCoding[];
}

/**
 * Creates what serves the unary methods of a transcoder to requests that are there as a whole. It leaves all others: streams, and
 * what leads to no method, which `createNodeHandler` answers.
 */
export function createWholeRequestHandler(
  transcoder: Transcoder,
  options: WholeRequestHandlerOptions = {},
): WholeRequestHandler {
  const { contextValues, codings = createNodeContentCodings() } = options;
  return (request) => {
    const answer = transcoder.handleUnary(new WholeTranscoderRequest(request, contextValues?.(request), codings));
    if (answer === undefined) return false;
    answer.then((response) => write(request, response)).catch(() => request.cut());
    return true;
  };
}

function write(request: WholeRequest, { status, headers, body }: TranscoderResponse): void {
  // Only streams come in chunks, and trailers only to those who ask for them, which no whole request does.
  request.respond(status, headers, body as string | Uint8Array | undefined);
}
