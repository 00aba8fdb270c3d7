import type { NodeRequest } from "@calltrack/transcoding/node";

/** Answers the requests for a path outside the API, whatever their method. If it throws or rejects, the response is INTERNAL. */
export type SitePage = (request: NodeRequest) => void | Promise<void>;

/** Pages by their paths. */
export type SitePages = ReadonlyMap<string, SitePage>;

/** The path of a request target, without its query. */
export function pathOf(target: string): string {
  const query = target.indexOf("?");
  return query === -1 ? target : target.slice(0, query);
}

/** Creates a check of request targets: whether one is a public path of a property, which pages of all sites call. */
export function createPropertyPath(basePath: string): (target: string) => boolean {
  const property = /^\/dni[_-]manager\/accounts\/[^/?]+\/properties\//;
  return (target) => target.startsWith(basePath) && property.test(target.slice(basePath.length));
}

/** Creates a check of request targets: whether one is a webhook of a phone system. Their pages authenticate and limit requests themselves. */
export function createTelephonyPath(basePath: string): (target: string) => boolean {
  const prefix = `${basePath}/telephony/`;
  return (target) => target.startsWith(prefix);
}
