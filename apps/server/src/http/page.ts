import type { NodeRequest } from "@calltrack/transcoding/node";

/** Answers the requests for a path, whatever their method. Returns false, and does nothing, for a request that it leaves to the API. */
export type Page = (request: NodeRequest) => boolean;

/** Pages by their paths. */
export type Pages = ReadonlyMap<string, Page>;

/** The page of a path that is only part of the API. */
export const leaveToApi: Page = () => false;

/** The path of a request target, without its query. */
export function pathOf(target: string): string {
  const query = target.indexOf("?");
  return query === -1 ? target : target.slice(0, query);
}
