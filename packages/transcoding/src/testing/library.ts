import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { LibraryService } from "../gen/library/v1/library_pb.js";
import { createTranscoder, type Transcoder } from "../transcoder/transcoder.js";
import type { TranscoderOptions } from "../transcoder/transcoder-options.js";

/** The methods of the library API that a test implements. All other methods are unimplemented. */
export type LibraryMethods = Partial<ServiceImpl<typeof LibraryService>>;

/** Creates a transcoder that serves an implementation of the library API with these methods. */
export function createLibrary(methods: LibraryMethods, options: Omit<TranscoderOptions, "routes"> = {}): Transcoder {
  return createTranscoder({ ...options, routes: (router) => router.service(LibraryService, methods) });
}

/** Creates a method implementation that returns the name in the request, and a list that records the calls. */
export function recordCalls() {
  const calls: { readonly request: NamedRequest; readonly context: HandlerContext }[] = [];
  const method = (request: NamedRequest, context: HandlerContext) => {
    calls.push({ request, context });
    return { name: request.name ?? "" };
  };
  return { calls, method };
}

interface NamedRequest {
  readonly name?: string;
  readonly requestId?: string | undefined;
}
