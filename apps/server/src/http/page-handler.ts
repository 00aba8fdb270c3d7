import type { NodeRequest } from "@calltrack/transcoding/node";

/** Responds to a request for a path outside the API, with any HTTP method. If the handler throws or rejects, the server responds with `INTERNAL`. */
export type PageHandler = (request: NodeRequest) => void | Promise<void>;

export type PageHandlersByPath = ReadonlyMap<string, PageHandler>;
