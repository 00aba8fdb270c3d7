import type { DescMethod, Message } from "@bufbuild/protobuf";
import { runWithDeadline } from "@calltrack/postgres";
import { createTranscoder } from "@calltrack/transcoding";
import { createNodeContentCodings, createNodeHandler, createWholeRequestHandler } from "@calltrack/transcoding/node";
import { createCompressions, createRpcHandler } from "@calltrack/transcoding/rpc";
import type { ConnectRouter, HandlerContext, Interceptor } from "@connectrpc/connect";
import type { Logger } from "pino";
import { createGuard } from "./access/guard.js";
import { createAccountDirectory } from "./accounts/account-directory.js";
import { withApiPage } from "./api-page/with-api-page.js";
import type { PassRunner } from "./call-trackers/pass-runner.js";
import { closeInTime } from "./close-in-time.js";
import type { Config } from "./config.js";
import { createConnectAdapter } from "./connect/connect-adapter.js";
import { withPlainGrpcMessages } from "./connect/grpc-message.js";
import { withDniPages } from "./dni/with-dni-pages.js";
import { refuseUnclearTargets } from "./http1/refuse-unclear-targets.js";
import { deadlineInterceptor } from "./interceptors/deadline.js";
import { domainErrorInterceptor, ERROR_DOMAIN, wireErrorOf } from "./interceptors/domain-error.js";
import { jsonPathOptions } from "./json-path-options.js";
import { BodyBudget } from "./limits/body-budget.js";
import { withBodyLimits } from "./limits/body-limits.js";
import { BodyWatch } from "./limits/body-watch.js";
import { CallsUnderWay } from "./limits/calls-under-way.js";
import { DecompressionQueue } from "./limits/decompression-queue.js";
import { RateLimits } from "./limits/rate-limits.js";
import { withRequestLimits } from "./limits/request-limits.js";
import { registerLimitMetrics } from "./metrics/limit-metrics.js";
import { registerRequestMetrics } from "./metrics/request-metrics.js";
import type { ServerMetrics } from "./metrics/server-metrics.js";
import { withMetrics } from "./metrics/with-metrics.js";
import { createOnePortServer, type OnePortServer } from "./one-port.js";
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
import { RequestWatch } from "./requests/request-watch.js";
import { apiRoutes, grpcRoutes } from "./routes.js";
import type { ServedDatabase } from "./storage/database.js";
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

/** Time limit for closing each resource beside the port. */
const CLOSE_MS = 1000;

/**
 * Creates the server of all protocols on one port: Connect, gRPC and gRPC-Web by their procedure paths, the JSON paths that
 * the protos declare, `/healthz`, `/readyz` and `/metrics`, and the API's document and page at `/openapi.json` and `/docs`. With
 * a port of their own, metrics are served there only, and health there too.
 *
 * @param shutdown ends what would never end by itself, such as the watches of gRPC health.
 */
export function createServer(
  config: ServerConfig,
  database: ServedDatabase,
  log: Logger,
  runner: PassRunner,
  metrics: Pick<ServerMetrics, "own" | "read">,
  shutdown: AbortSignal,
  tracing?: Tracing,
): OnePortServer {
  const accounts = createAccountDirectory(database.db);
  const { limits } = config;
  const routes = withBodyLimits(apiRoutes(database, accounts, config, runner), limits.maxBodyBytes);
  const tls = config.tls && createTlsLayer(config.tls, log);
  const guard = createGuard(config.auth, database.db, accounts, tls, new RateLimits(limits), log);
  const budget = new BodyBudget(limits);
  const limitMetrics = registerLimitMetrics(metrics.own, () => budget.bytes);
  const bodies = new BodyWatch(budget, limits.trustedProxies, limitMetrics);
  const underWay = new CallsUnderWay(limits, (values) => bodies.begin(values));
  const decompression = new DecompressionQueue(limits.maxPendingBodyBytesPerAddress, () =>
    limitMetrics.refuseRequest("OVERLOADED"),
  );
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
    readMaxBytes: limits.maxBodyBytes,
    codings: createNodeContentCodings(decompression.schedule),
  };
  const calls = {
    interceptors,
    ...shared,
    aroundDeadline: <T>({ signal }: HandlerContext, work: () => Promise<T>) => runWithDeadline(signal, work),
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
  const tools = withBodyLimits(grpcRoutes(isReady, shutdown), limits.maxBodyBytes);
  const rpcRoutes = (router: ConnectRouter) => {
    routes(router);
    tools(router);
  };
  const pages = withApiPage(config, withDniPages(config.basePath, json));
  const rest = withHealth(
    isReady,
    config.ops === undefined ? guard.withReadersOnly("/metrics", withMetrics(metrics, pages)) : pages,
  );
  const connect = createConnectAdapter(
    {
      routes: rpcRoutes,
      // The others answer at the deadline by themselves.
      interceptors: [recordAnswer, ...interceptors, deadlineInterceptor],
      ...shared,
      acceptCompression: createCompressions(shared.codings, ERROR_DOMAIN),
      // A misspelt field must not be lost in silence over Connect either.
      jsonOptions: { ignoreUnknownFields: false },
      fallback: rest,
    },
    log,
  );
  const rpc = createRpcHandler({
    routes: rpcRoutes,
    ...calls,
    errorDomain: ERROR_DOMAIN,
    fallback: withPlainGrpcMessages(connect),
    onBodyTaken: bodies.onTaken,
  });
  const requestMetrics = registerRequestMetrics(metrics.own);
  const watch = new RequestWatch(config.limits.requestTimeoutMs, log);
  const observer = createRequestObserver(log, config.slowRequestMs, requestMetrics, watch, tracing);
  const handlers = {
    handleRequest: observeRequests(observer, refuseUnclearTargets(rpc.handleRequest)),
    handleStream: observeGrpcStreams(observer, rpc.handleStream),
    handleWhole: observeWholeRequests(observer, createWholeRequestHandler(transcoder, shared)),
  };
  const limited = withRequestLimits(limits.maxUrlBytes, underWay, bodies, handlers, limitMetrics);
  const server = createOnePortServer(limited, limits, limitMetrics, bodies, tls);
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
      watch.close();
      underWay.close();
      await closeInTime("the record of the use of keys", CLOSE_MS, log, () => guard.close());
      await closeInTime("the port of metrics", CLOSE_MS, log, () => ops?.close());
    },
  };
}
