import type { NodeRequest } from "@calltrack/transcoding/node";

/** Answers the requests for a path that is not part of the API, whatever their method. */
export type Page = (request: NodeRequest) => void;

/** Pages by their paths. */
export type Pages = ReadonlyMap<string, Page>;

/** The path of a request target, without its query. */
export function pathOf(target: string): string {
  const query = target.indexOf("?");
  return query === -1 ? target : target.slice(0, query);
}
