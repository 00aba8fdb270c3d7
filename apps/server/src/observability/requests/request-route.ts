import type { DescMethod } from "@bufbuild/protobuf";
import type { NodeRequest } from "@calltrack/transcoding/node";

/**
 * Decides which checks apply to a route. Health checks and webhooks are served at any load, for any Host header, and to web pages of any
 * origin. Web pages of any origin may also call public methods.
 */
export type RouteKind = "health" | "public" | "webhook" | "other";

/** The handler of a request, which its HTTP method and target determine. */
export interface RequestRoute {
  readonly kind: RouteKind;
  /** The method that the request calls; undefined for pages, webhooks, and other requests that call no method. */
  readonly rpc: DescMethod | undefined;
  /** Answers the request. If it throws or rejects, the request fails. */
  serve(request: NodeRequest): void | Promise<void>;
}
