import type { DescMethod } from "@bufbuild/protobuf";
import type { NodeRequest } from "@calltrack/transcoding/node";

/**
 * The rules of a route. Health checks and webhooks of phone systems are served at any load, and to any host and page. Pages of all sites may
 * call the public methods of properties.
 */
export type RouteKind = "health" | "public" | "webhook" | "other";

/** Where a request goes, found once from its HTTP method and target. */
export interface RequestRoute {
  readonly kind: RouteKind;
  /** The method that the request calls; undefined for pages, webhooks, and requests that are answered without a method. */
  readonly rpc: DescMethod | undefined;
  /** Answers the request. If it throws or rejects, the request fails. */
  serve(request: NodeRequest): void | Promise<void>;
}
