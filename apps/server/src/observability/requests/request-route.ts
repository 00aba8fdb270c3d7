import type { DescMethod } from "@bufbuild/protobuf";
import type { NodeRequest } from "@calltrack/transcoding/node";

/**
 * Determines which checks apply to a request. Health checks and webhooks are served at any load, for any Host header, and to web pages of any
 * origin. Public methods are served to web pages of any origin.
 */
export type RequestRouteKind = "health" | "public" | "webhook" | "other";

/** The handler of a request, chosen by the HTTP method and target of the request. */
export interface RequestRoute {
  readonly kind: RequestRouteKind;
  /** The RPC method that the request calls; undefined for pages, webhooks, and other requests that call no method. */
  readonly rpc: DescMethod | undefined;
  /** Responds to the request. If it throws or rejects, the request fails. */
  serve(request: NodeRequest): void | Promise<void>;
}
