import type { ContextValues } from "@connectrpc/connect";
import type { ContentCoding } from "./content-coding.js";
import type { Transcoder } from "./transcoder.js";

/** How a transcoder is bound to a runtime of the Fetch standard. */
export interface FetchHandlerOptions {
  /** The context values of a request. */
  readonly contextValues?: (request: Request) => ContextValues;
  /** Takes the requests whose path matches no rule. Default: they are answered with 404. */
  readonly fallback?: (request: Request) => Response | Promise<Response>;
  /** The content codings. Default: those of the runtime's `CompressionStream`. */
  readonly codings?: readonly ContentCoding[];
}

/** Creates a function that serves a transcoder from a request to a response of the Fetch standard. */
export function createFetchHandler(
  _transcoder: Transcoder,
  _options: FetchHandlerOptions = {},
): (request: Request) => Promise<Response> {
  throw new Error("not implemented");
}
