import type { NodeRequest } from "@calltrack/transcoding/node";

/** Answers the requests for a path outside the API, whatever their method. If it throws or rejects, the response is INTERNAL. */
export type SitePage = (request: NodeRequest) => void | Promise<void>;

/** Pages by path. */
export type SitePages = ReadonlyMap<string, SitePage>;
