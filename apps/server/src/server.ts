import type { DescMethod, Message } from "@bufbuild/protobuf";
import { runWithDeadline } from "@calltrack/postgres";
import { createTranscoder } from "@calltrack/transcoding";
import { createNodeContentCodings, createNodeHandler, createWholeRequestHandler } from "@calltrack/transcoding/node";
import { createCompressions, createRpcHandler } from "@calltrack/transcoding/rpc";
import type { ConnectRouter, HandlerContext, Interceptor } from "@connectrpc/connect";
import type { Logger } from "pino";
import { createAccountDirectory } from "./access/account-directory.js";
import { withBodyLimits } from "./access/body-limits.js";
import { createGuard } from "./access/guard.js";
import { checkRequest } from "./api/request-checks.js";
import { apiRoutes, grpcRoutes } from "./api/routes.js";
import { closeInTime } from "./close-in-time.js";
import type { Config } from "./config/config.js";
import { domainErrorInterceptor, ERROR_DOMAIN, wireErrorOf } from "./errors/domain-error.js";
import { jsonPathOptions } from "./errors/json-path-options.js";
import { createConnectAdapter } from "./http/connect/connect-adapter.js";
import { withPlainGrpcMessages } from "./http/connect/grpc-message.js";
import { refuseUnclearTargets } from "./http/http1/refuse-unclear-targets.js";
import { BodyBudget } from "./http/limits/body-budget.js";
import { BodyWatch } from "./http/limits/body-watch.js";
import { CallsUnderWay } from "./http/limits/calls-under-way.js";
import { deadlineInterceptor } from "./http/limits/deadline.js";
import { DecompressionQueue } from "./http/limits/decompression-queue.js";
import { RateLimits } from "./http/limits/rate-limits.js";
import { withRequestLimits } from "./http/limits/request-limits.js";
import { observeGrpcStreams } from "./http/observe/observe-grpc-streams.js";
import { observeRequests, recordAnswer, recordCall } from "./http/observe/observe-requests.js";
import { observeWholeRequests } from "./http/observe/observe-whole-requests.js";
import { createRequestObserver } from "./http/observe/request-observer.js";
import { createOnePortServer, type OnePortServer } from "./http/server/one-port.js";
import { createTlsLayer } from "./http/tls/tls-layer.js";
import { registerLimitMetrics } from "./observability/metrics/limit-metrics.js";
import { registerRequestMetrics } from "./observability/metrics/request-metrics.js";
import type { ServerMetrics } from "./observability/metrics/server-metrics.js";
import { type OpsServer, startOpsServer } from "./observability/ops/ops-server.js";
import { createReadiness } from "./observability/ops/readiness.js";
import { withHealth } from "./observability/ops/with-health.js";
import { withMetrics } from "./observability/ops/with-metrics.js";
import { recordOf, recordOfCall } from "./observability/requests/request-record.js";
import type { RequestSource } from "./observability/requests/request-source.js";
import { RequestWatch } from "./observability/requests/request-watch.js";
import type { Tracing } from "./observability/tracing/tracing.js";
import { withApiPage } from "./pages/with-api-page.js";
import { withDniPages } from "./pages/with-dni-pages.js";
import type { PassRunner } from "./pool-management/pass-runner.js";
import type { ServedDatabase } from "./storage/database.js";

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
  const observer = createRequestObserver(log, requestMetrics, watch, tracing);
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
