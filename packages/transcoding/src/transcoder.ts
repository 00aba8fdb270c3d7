import type { TranscoderOptions } from "./transcoder-options.js";
import type { TranscoderRequest } from "./transcoder-request.js";
import type { TranscoderResponse } from "./transcoder-response.js";

/** Serves the paths that the `google.api.http` rules of services declare. */
export interface Transcoder {
  /** Answers a request. Never rejects: every failure is a response. */
  handle(request: TranscoderRequest): Promise<TranscoderResponse>;
}

/**
 * Creates the transcoder of the services that `options.routes` registers. All rules are read and checked here: throws an
 * Error that names the RPCs concerned where they contradict each other or their messages.
 */
export function createTranscoder(_options: TranscoderOptions): Transcoder {
  throw new Error("not implemented");
}
