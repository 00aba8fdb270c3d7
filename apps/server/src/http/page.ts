import type { NodeRequest } from "@calltrack/transcoding/node";

/** Answers the requests for a path outside the API, whatever their method. If it throws or rejects, the response is INTERNAL. */
export type Page = (request: NodeRequest) => void | Promise<void>;

/** Pages by their paths. */
export type Pages = ReadonlyMap<string, Page>;

/** The path of a request target, without its query. */
export function pathOf(target: string): string {
  const query = target.indexOf("?");
  return query === -1 ? target : target.slice(0, query);
}
