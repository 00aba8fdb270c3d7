import type { DescMethod } from "@bufbuild/protobuf";
import { getTargetPath, type HttpHandler, type HttpRoute, type Transcoder } from "@calltrack/transcoding";
import type { NodeRequest } from "@calltrack/transcoding/node";
import { requireMethodAccessRule } from "./api/method-catalog.js";
import type { PageHandlersByPath } from "./http/page-handler.js";
import { INFRASTRUCTURE_SERVICES } from "./observability/grpc-services/infrastructure-services.js";
import type { RequestRoute, RequestRouteKind } from "./observability/requests/request-route.js";
import { answerCorsPreflight } from "./pages/dni-pages.js";
import { HEALTH_PATHS } from "./pages/health-pages.js";
import type { Telephony } from "./telephony/telephony.js";

/** The parts of the server that handle requests, in the order in which the router tries them. */
export interface RequestRouterDependencies {
  readonly pages: PageHandlersByPath;
  readonly telephony: Pick<Telephony, "findWebhook">;
  /** Handles the procedures of gRPC, gRPC-Web and Connect. */
  readonly rpcs: HttpHandler;
  /** Handles the JSON paths, and responds to all other paths with 404. */
  readonly json: Transcoder;
}

export function createRequestRouter({
  pages,
  telephony,
  rpcs,
  json,
}: RequestRouterDependencies): (request: NodeRequest) => RequestRoute {
  const pageRoutes = new Map(
    [...pages].map(([path, page]): [string, RequestRoute] => {
      const kind = HEALTH_PATHS.includes(path) ? "health" : "other";
      return [path, { kind, rpc: undefined, serve: page }];
    }),
  );

  /**
   * Returns the route of a CORS preflight (https://fetch.spec.whatwg.org/#cors-preflight-fetch) for a public method; undefined for any other request.
   * The preflight names the HTTP method in a header.
   */
  function routePreflight(request: NodeRequest): RequestRoute | undefined {
    const method = request.method === "OPTIONS" ? request.header("access-control-request-method") : undefined;
    if (method === undefined) return undefined;
    const asked = { method, target: request.target };
    const { rpc } = rpcs.route(asked) ?? json.route(asked);
    return kindOf(rpc) === "public" ? { kind: "public", rpc: undefined, serve: answerCorsPreflight } : undefined;
  }

  return (request) => {
    const page = pageRoutes.get(getTargetPath(request.target));
    if (page !== undefined) return page;
    const webhook = telephony.findWebhook(request.target);
    if (webhook !== undefined) return { kind: "webhook", rpc: undefined, serve: webhook };
    return routePreflight(request) ?? serveBy(rpcs.route(request) ?? json.route(request));
  };
}

function serveBy(route: HttpRoute): RequestRoute {
  const kind = kindOf(route.rpc);
  return {
    kind,
    rpc: route.rpc,
    serve(request) {
      // A gRPC response needs no Cache-Control header, because caches do not store gRPC responses. A method may replace the header.
      const isGrpc = request.header("content-type")?.startsWith("application/grpc") ?? false;
      if (kind !== "public" && !isGrpc) request.addHeader("cache-control", "no-store");
      return route.handle(request).then((response) => request.send(response));
    },
  };
}

function kindOf(rpc: DescMethod | undefined): RequestRouteKind {
  if (rpc === undefined) return "other";
  if (INFRASTRUCTURE_SERVICES.some((service) => service === rpc.parent)) return "health";
  return requireMethodAccessRule(rpc) === "public" ? "public" : "other";
}
