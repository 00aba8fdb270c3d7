import type { NodeRequest } from "@calltrack/transcoding/node";

/** Answers the requests for a path outside the API, with any HTTP method. If it throws or rejects, the response is `INTERNAL`. */
export type PageHandler = (request: NodeRequest) => void | Promise<void>;

export type PageHandlersByPath = ReadonlyMap<string, PageHandler>;
