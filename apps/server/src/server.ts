import type { DescMethod, Message } from "@bufbuild/protobuf";
import {
  createNodeHandler,
  createRpcHandler,
  createTranscoder,
  createWholeRequestHandler,
} from "@calltrack/transcoding";
import type { ConnectRouter, HandlerContext, Interceptor } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import type { Logger } from "pino";
import { createGuard } from "./access/guard.js";
import { createAccountDirectory } from "./accounts/account-directory.js";
import { withApiPage } from "./api-page/with-api-page.js";
import type { PassRunner } from "./call-trackers/pass-runner.js";
import type { Config } from "./config.js";
import { withDniPages } from "./dni/with-dni-pages.js";
import { withPlainGrpcMessages } from "./grpc-message.js";
import { UNUSABLE_HOST } from "./http-refusal.js";
import { deadlineInterceptor } from "./interceptors/deadline.js";
import { domainErrorInterceptor, ERROR_DOMAIN, wireErrorOf } from "./interceptors/domain-error.js";
import { jsonPathOptions } from "./json-path-options.js";
import { CallsUnderWay } from "./limits/calls-under-way.js";
import { RateLimits } from "./limits/rate-limits.js";
import { withRequestLimits } from "./limits/request-limits.js";
import { registerLimitMetrics } from "./metrics/limit-metrics.js";
import { registerRequestMetrics } from "./metrics/request-metrics.js";
import type { ServerMetrics } from "./metrics/server-metrics.js";
import { withMetrics } from "./metrics/with-metrics.js";
import { createOnePortServer, type OnePortServer, type RequestHandler } from "./one-port.js";
import { type OpsServer, startOpsServer } from "./ops/ops-server.js";
import { createReadiness } from "./ops/readiness.js";
import { withHealth } from "./ops/with-health.js";
import { checkRequest } from "./request-checks.js";
import { observeGrpcStreams } from "./requests/observe-grpc-streams.js";
import { observeRequests, recordAnswer, recordCall } from "./requests/observe-requests.js";
import { observeWholeRequests } from "./requests/observe-whole-requests.js";
import { createRequestObserver } from "./requests/request-observer.js";
import { recordOf, recordOfCall } from "./requests/request-record.js";
import type { RequestSource } from "./requests/request-source.js";
import { apiRoutes, grpcRoutes } from "./routes.js";
import type { Database } from "./storage/database.js";
import { runWaitedCall } from "./storage/waited-call.js";
import { createTlsLayer } from "./tls/tls-layer.js";
import type { Tracing } from "./tracing/tracing.js";

/** What the server needs to know of its configuration. */
export type ServerConfig = Pick<
  Config,
  | "tls"
  | "ops"
  | "auth"
  | "limits"
  | "basePath"
  | "unregisteredNumbers"
  | "poolRules"
  | "hasVirtualClock"
  | "managesPools"
  | "slowRequestMs"
>;

/**
 * Creates the server of all protocols on one port: Connect, gRPC and gRPC-Web by their procedure paths, the JSON paths that
 * the protos declare, `/healthz`, `/readyz` and `/metrics`, and the API's document and page at `/openapi.json` and `/docs`. With
 * a port of their own, metrics are served there only, and health there too.
 *
 * @param shutdown ends what would never end by itself, such as the watches of gRPC health.
 */
export function createServer(
  config: ServerConfig,
  database: Database,
  log: Logger,
  runner: PassRunner,
  metrics: Pick<ServerMetrics, "own" | "read">,
  shutdown: AbortSignal,
  tracing?: Tracing,
): OnePortServer {
  const accounts = createAccountDirectory(database.db);
  const routes = apiRoutes(database, accounts, config, runner);
  const tls = config.tls && createTlsLayer(config.tls, log);
  const guard = createGuard(config.auth, database.db, accounts, tls, new RateLimits(config.limits), log);
  const underWay = new CallsUnderWay(config.limits);
  const interceptors: Interceptor[] = [domainErrorInterceptor(log), ...guard.interceptors, underWay.interceptor];
  const isReady = createReadiness(() => database.ping(), shutdown);
  const shared = {
    contextValues(source: RequestSource) {
      const record = recordOf(source);
      guard.noteClient?.(source, record);
      return record;
    },
    requestGate(context: HandlerContext) {
      recordCall(context);
      return guard.requestGate?.(context);
    },
    readMaxBytes: config.limits.maxBodyBytes,
  };
  const calls = {
    interceptors,
    ...shared,
    aroundDeadline: <T>({ signal }: HandlerContext, work: () => Promise<T>) => runWaitedCall(signal, work),
    async validate(method: DescMethod, message: Message, { values }: HandlerContext) {
      try {
        guard.checkAccount(method, message, values);
        return await checkRequest(database.db, accounts, method, message);
      } catch (error) {
        throw wireErrorOf(error, log, recordOfCall(values));
      }
    },
    onError: (error: unknown) => log.error({ err: error }, "a request failed"),
  };
  const transcoder = createTranscoder({ routes, ...calls, ...jsonPathOptions(config) });
  const json = createNodeHandler(transcoder, shared);
  const rpcRoutes = (router: ConnectRouter) => {
    routes(router);
    grpcRoutes(isReady, shutdown)(router);
  };
  const pages = withApiPage(config, withDniPages(config.basePath, json));
  const connect = connectNodeAdapter({
    routes: rpcRoutes,
    // The others answer at the deadline by themselves.
    interceptors: [recordAnswer, ...interceptors, deadlineInterceptor],
    ...shared,
    // A misspelt field must not be lost in silence over Connect either.
    jsonOptions: { ignoreUnknownFields: false },
    fallback: withHealth(
      isReady,
      config.ops === undefined ? guard.withReadersOnly("/metrics", withMetrics(metrics, pages)) : pages,
    ),
  });
  const rpc = createRpcHandler({
    routes: rpcRoutes,
    ...calls,
    errorDomain: ERROR_DOMAIN,
    fallback: withPlainGrpcMessages(connect),
  });
  const requestMetrics = registerRequestMetrics(metrics.own);
  const observer = createRequestObserver(log, config.slowRequestMs, requestMetrics, tracing);
  const handlers = {
    handleRequest: observeRequests(observer, refuseUnusableHost(rpc.handleRequest)),
    handleStream: observeGrpcStreams(observer, rpc.handleStream),
    handleWhole: observeWholeRequests(observer, createWholeRequestHandler(transcoder, shared)),
  };
  const { maxUrlBytes } = config.limits;
  const limitMetrics = registerLimitMetrics(metrics.own);
  const limited = withRequestLimits(maxUrlBytes, underWay, handlers, limitMetrics);
  const server = createOnePortServer(limited, config.limits, limitMetrics, tls);
  let ops: OpsServer | undefined;
  return {
    async listen(port, host) {
      if (config.ops !== undefined) {
        ops = await startOpsServer(config.ops, isReady, metrics.read);
        log.info({ port: ops.port }, "metrics and health are served");
      }
      return server.listen(port, host);
    },
    async close() {
      await server.close();
      underWay.close();
      await guard.close();
      await ops?.close();
    },
  };
}

/**
 * Refuses a request whose Host is missing or malformed: Connect builds a URL of it, and what that throws would end the
 * process.
 */
function refuseUnusableHost(handler: RequestHandler): RequestHandler {
  return (request, response) => {
    // RFC 9112 section 3.2 asks for this of HTTP/1.1; left to Node, the answer would have no body.
    const missing = request.httpVersion === "1.1" && request.headers.host === undefined;
    try {
      if (!missing) return handler(request, response);
    } catch {
      // Refused below.
    }
    response.writeHead(UNUSABLE_HOST.statusCode, { "content-type": "application/json" });
    response.end(UNUSABLE_HOST.body);
  };
}
