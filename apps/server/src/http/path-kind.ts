import type { PathKind } from "../observability/requests/request-state.js";

/** Health checks and reflection, whose streams have their own limit. */
const HEALTH = /^\/(?:healthz|readyz|grpc\.(?:health\.v1\.Health|reflection\.\w+\.ServerReflection)\/\w+)(?:$|\?)/;

const PROPERTY = /^\/dni[_-]manager\/accounts\/[^/?]+\/properties\//;

/** Creates the function that finds the kind of the path of a request target. */
export function createPathClassifier(basePath: string): (target: string) => PathKind {
  return (target) => {
    if (HEALTH.test(target)) return "health";
    if (!target.startsWith(basePath)) return "other";
    const path = target.slice(basePath.length);
    if (path.startsWith("/telephony/")) return "webhook";
    return PROPERTY.test(path) ? "property" : "other";
  };
}

/** Returns the path of a request target, without its query. */
export function pathOf(target: string): string {
  const query = target.indexOf("?");
  return query === -1 ? target : target.slice(0, query);
}
