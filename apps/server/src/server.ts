import type { DescMethod, Message } from "@bufbuild/protobuf";
import { createNodeHandler, createRpcHandler, createTranscoder } from "@calltrack/transcoding";
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
import { requestLogInterceptor } from "./interceptors/request-log.js";
import { jsonPathOptions } from "./json-path-options.js";
import { CallsUnderWay } from "./limits/calls-under-way.js";
import { RateLimits } from "./limits/rate-limits.js";
import { withRequestLimits } from "./limits/request-limits.js";
import type { ServerMetrics } from "./metrics/server-metrics.js";
import { withMetrics } from "./metrics/with-metrics.js";
import { createOnePortServer, type OnePortServer, type RequestHandler } from "./one-port.js";
import { checkRequest } from "./request-checks.js";
import { apiRoutes, grpcRoutes } from "./routes.js";
import type { Database } from "./storage/database.js";
import { runWaitedCall } from "./storage/waited-call.js";
import { createTlsLayer } from "./tls/tls-layer.js";

/** What the server needs to know of its configuration. */
export type ServerConfig = Pick<
  Config,
  "tls" | "auth" | "limits" | "basePath" | "unregisteredNumbers" | "poolRules" | "hasVirtualClock" | "managesPools"
>;

/**
 * Creates the server of all protocols on one port: Connect, gRPC and gRPC-Web by their procedure paths, the JSON paths that
 * the protos declare, `/healthz`, `/readyz` and `/metrics`, and the API's document and page at `/openapi.json` and `/docs`.
 *
 * @param shutdown ends what would never end by itself, such as the watches of gRPC health.
 */
export function createServer(
  config: ServerConfig,
  database: Database,
  log: Logger,
  runner: PassRunner,
  metrics: Pick<ServerMetrics, "read">,
  shutdown: AbortSignal,
): OnePortServer {
  const accounts = createAccountDirectory(database.db);
  const routes = apiRoutes(database, accounts, config, runner);
  const tls = config.tls && createTlsLayer(config.tls, log);
  const guard = createGuard(config.auth, database.db, accounts, tls, new RateLimits(config.limits), log);
  const underWay = new CallsUnderWay(config.limits);
  const interceptors: Interceptor[] = [
    requestLogInterceptor(log),
    domainErrorInterceptor(log),
    ...guard.interceptors,
    underWay.interceptor,
  ];
  const isReady = () =>
    database.ping().then(
      () => true,
      () => false,
    );
  const calls = {
    interceptors,
    ...guard.options,
    readMaxBytes: config.limits.maxBodyBytes,
    aroundDeadline: <T>({ signal }: HandlerContext, work: () => Promise<T>) => runWaitedCall(signal, work),
    async validate(method: DescMethod, message: Message, { values }: HandlerContext) {
      try {
        guard.checkAccount(method, message, values);
        return await checkRequest(database.db, accounts, method, message);
      } catch (error) {
        throw wireErrorOf(error, log);
      }
    },
    onError: (error: unknown) => log.error({ err: error }, "a request failed"),
  };
  const transcoder = createTranscoder({ routes, ...calls, ...jsonPathOptions(config) });
  const json = createNodeHandler(transcoder, guard.options);
  const rpcRoutes = (router: ConnectRouter) => {
    routes(router);
    grpcRoutes(isReady, shutdown)(router);
  };
  const connect = connectNodeAdapter({
    routes: rpcRoutes,
    // The others answer at the deadline by themselves.
    interceptors: [...interceptors, deadlineInterceptor],
    ...guard.options,
    readMaxBytes: config.limits.maxBodyBytes,
    // A misspelt field must not be lost in silence over Connect either.
    jsonOptions: { ignoreUnknownFields: false },
    fallback: withHealth(
      isReady,
      guard.withReadersOnly("/metrics", withMetrics(metrics, withApiPage(config, withDniPages(config.basePath, json)))),
    ),
  });
  const rpc = createRpcHandler({
    routes: rpcRoutes,
    ...calls,
    errorDomain: ERROR_DOMAIN,
    fallback: withPlainGrpcMessages(connect),
  });
  const handlers = { handleRequest: refuseUnusableHost(rpc.handleRequest), handleStream: rpc.handleStream };
  const { maxUrlBytes } = config.limits;
  const server = createOnePortServer(withRequestLimits(maxUrlBytes, underWay, handlers), config.limits, tls);
  return {
    listen: server.listen,
    async close() {
      await server.close();
      underWay.close();
      await guard.close();
    },
  };
}

/** Serves `/healthz`, that the process is alive, and `/readyz`, that it can do its work, in front of another handler. */
function withHealth(isReady: () => Promise<boolean>, next: RequestHandler): RequestHandler {
  return (request, response) => {
    const path = request.url?.split("?", 1)[0];
    const asked = request.method === "GET" || request.method === "HEAD";
    if (asked && path === "/healthz") return sendStatus(response, 200, "alive");
    if (!asked || path !== "/readyz") return next(request, response);
    isReady().then((ready) => sendStatus(response, ready ? 200 : 503, ready ? "ready" : "not ready"));
  };
}

function sendStatus(response: Parameters<RequestHandler>[1], code: number, status: string): void {
  response.writeHead(code, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify({ status }));
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
