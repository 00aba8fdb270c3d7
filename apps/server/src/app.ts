import type { PhoneSystemKind } from "@calltrack/domain";
import { createTranscoder, type HttpRequest } from "@calltrack/transcoding";
import { createNodeContentCodings } from "@calltrack/transcoding/node";
import { createRpcHandler } from "@calltrack/transcoding/rpc";
import type { Logger } from "pino";
import { createAccessGuard } from "./access/access-guard.js";
import { createAccountDirectory } from "./access/account-directory.js";
import { ClientRateLimiter } from "./access/client-rate-limiter.js";
import { createRpcOptions, type OpenStreamCounter } from "./access/rpc-options.js";
import { registerCallMetrics } from "./api/calls/call-metrics.js";
import { createEventLog } from "./api/events/event-log.js";
import { requireMethodAccessRule } from "./api/method-catalog.js";
import { createApi, createGrpcServices, createRpcRoutes } from "./api/routes.js";
import { closeWithTimeout } from "./close-with-timeout.js";
import type { Config } from "./config/config.js";
import { readReleaseVersion } from "./config/release-version.js";
import type { DatabaseHandle } from "./database/open-database.js";
import { WebhookClient } from "./deliveries/webhook-client.js";
import { registerDeliveryAttemptMetrics } from "./deliveries/webhook-metrics.js";
import { WebhookSender } from "./deliveries/webhook-sender.js";
import { createOverloadError, HTTP_ERRORS_BY_REASON } from "./errors/http-errors.js";
import { createJsonTranscodingOptions } from "./errors/json-transcoding-options.js";
import { ConcurrencyLimit } from "./http/concurrency-limit.js";
import { createCrossOriginCheck } from "./http/cross-origin-check.js";
import { createFailureHandler } from "./http/failure-handler.js";
import { createHttpServer } from "./http/http-server.js";
import { BodyBudget } from "./http/limits/body-budget.js";
import { DecompressionQueue } from "./http/limits/decompression-queue.js";
import { registerLimitMetrics } from "./http/limits/limit-metrics.js";
import { StreamLimit } from "./http/limits/stream-limit.js";
import { listenOnAddress } from "./http/listen-on-address.js";
import type { PageHandlersByPath } from "./http/page-handler.js";
import { RequestDeadlineEnforcer } from "./http/request-deadline-enforcer.js";
import type { RequestHandler } from "./http/request-handler.js";
import { createRequestLimitCheck, isExemptFromConcurrencyLimit } from "./http/request-limit-check.js";
import { createRequestObserver } from "./http/request-observer.js";
import { createTlsLayer } from "./http/tls/tls-layer.js";
import type { ServerMetrics } from "./observability/metrics/server-metrics.js";
import { createReadinessCheck } from "./observability/readiness-check.js";
import { registerRequestMetrics } from "./observability/requests/request-metrics.js";
import { findRequestState, recordRpcOutcome } from "./observability/requests/request-state.js";
import type { RequestTracer } from "./observability/tracing/request-tracer.js";
import { createConsolePages } from "./pages/console-pages.js";
import { allowAnyOrigin, createDniPages } from "./pages/dni-pages.js";
import { createDocsPages } from "./pages/docs-pages.js";
import { createHealthPages } from "./pages/health-pages.js";
import { createMetricsPage } from "./pages/metrics-page.js";
import { type OpsServer, startOpsServer } from "./pages/ops-server.js";
import { createStartPages } from "./pages/start-page.js";
import type { PassRunner } from "./pool-management/pass-runner.js";
import { createRequestRouter } from "./route-requests.js";
import type { SecretBox } from "./secrets/secret-box.js";
import { createPhoneSystemCheck } from "./telephony/check-phone-system.js";
import { writeFallbackTwiml } from "./telephony/providers/write-twiml.js";
import { createTelephony } from "./telephony/telephony.js";

/**
 * Objects that the app uses but does not own. The code that creates the app also creates and closes these objects: `App.close` does not close them.
 */
export interface AppDependencies {
  readonly database: DatabaseHandle;
  readonly runner: PassRunner;
  /** Encrypts credentials in the database; undefined if the server has no encryption key. */
  readonly secrets: SecretBox | undefined;
  readonly metrics: Pick<ServerMetrics, "own" | "read">;
  readonly log: Logger;
  /** Aborted when the server stops, to end RPCs that never end by themselves, such as gRPC health watches. */
  readonly shutdown: AbortSignal;
  readonly tracing: RequestTracer | undefined;
  /** Handlers of additional URL paths. Default: none. */
  readonly pages?: PageHandlersByPath;
}

interface AppPorts {
  readonly port: number;
  /** Undefined if the setting `OPS_PORT` is unset. */
  readonly opsPort: number | undefined;
}

/** The HTTP server, which serves all protocols, and the background work of its process. */
export interface App {
  /** Resolves when the server accepts connections. If the address is unavailable, rejects with an Error that says which setting to change. */
  listen(port: number, host: string): Promise<AppPorts>;
  readonly webhooks: Pick<WebhookSender, "start" | "stop">;
  /** Marks calls as ended if their phone system did not report the end in time. */
  closeOverdueCalls(): Promise<void>;
  /** Waits until all recorded visits have taken effect: pools become due for a pass, and visit days over the limits are deleted. */
  settleVisits(): Promise<void>;
  /** Stops accepting connections, waits for in-flight requests, and closes the app's resources. */
  close(): Promise<void>;
}

/** Maximum time to close each resource other than the HTTP server. */
const CLOSE_MS = 1000;

/**
 * Creates the app. Every request that the HTTP server accepts goes through the chain in `handler`: observe, route, reject requests from
 * pages of other origins, enforce limits, and serve. The request gate authenticates RPCs before their bodies are read. The handlers of
 * webhooks authenticate phone systems themselves.
 */
export function createApp(config: Config, parts: AppDependencies): App {
  const { database, runner, metrics, log, shutdown, tracing } = parts;
  const { limits } = config;
  const fail = createFailureHandler(log);
  const accounts = createAccountDirectory(database.db);
  const isReady = createReadinessCheck(() => database.ping(), shutdown);

  const bodies = new BodyBudget(limits);
  const limitMetrics = registerLimitMetrics(metrics.own, () => bodies.bytes);

  const concurrency = new ConcurrencyLimit(limits.maxRequests);
  const streams = new StreamLimit(limits);
  const findRefusal = createRequestLimitCheck(limits, concurrency, streams, limitMetrics);
  const refuseOverload = () => {
    limitMetrics.refuseRequest("OVERLOADED");
    return createOverloadError();
  };
  const countOpenStream: OpenStreamCounter = (...stream) => {
    if (!streams.take(...stream)) throw refuseOverload();
  };
  const decompression = new DecompressionQueue(limits.maxPendingBodyBytesPerAddress, refuseOverload);

  const findForeignPage = createCrossOriginCheck(config);
  const guard = createAccessGuard(
    config.auth,
    requireMethodAccessRule,
    database.db,
    accounts,
    new ClientRateLimiter(limits),
    log,
  );

  const countCall = registerCallMetrics(metrics.own);
  const phoneSystemParts = {
    secrets: parts.secrets,
    publicUrl: config.publicUrl,
    writeFallbackDocument: (kind: PhoneSystemKind, number: string) =>
      kind === "sip" ? "" : writeFallbackTwiml(number),
    check: createPhoneSystemCheck({ secrets: parts.secrets, publicUrl: config.publicUrl }),
  };
  const events = createEventLog(database, phoneSystemParts, metrics.own, shutdown);
  const webhooks = new WebhookSender(
    {
      ...{ database, phoneSystems: phoneSystemParts, log, observe: registerDeliveryAttemptMetrics(metrics.own) },
      client: new WebhookClient(config.allowsPrivateWebhooks, readReleaseVersion()),
    },
    events.feed,
  );
  const { services, findViolations, settleVisits } = createApi(
    database,
    accounts,
    guard,
    config,
    runner,
    countCall,
    phoneSystemParts,
    events,
    log,
  );
  const codings = createNodeContentCodings(decompression.schedule);
  const options = createRpcOptions(guard, countOpenStream, limits.maxBodyBytes, findViolations, log);
  const rpcs = createRpcHandler({
    ...options,
    basePath: config.basePath,
    routes: createRpcRoutes([...services, ...createGrpcServices(isReady, shutdown)], limits.maxBodyBytes),
    onBodyTaken: (request: HttpRequest, bytes: number) => bodies.accept(request, bytes),
    onOutcome: recordRpcOutcome,
  });
  const json = createTranscoder({
    ...options,
    ...createJsonTranscodingOptions(config),
    routes: createRpcRoutes(services, limits.maxBodyBytes),
  });

  const telephony = createTelephony({
    ...{ config, database, countCall, log },
    ...{ secrets: parts.secrets, registry: metrics.own },
  });

  const pages: PageHandlersByPath = new Map([
    ...createStartPages(config),
    ...createHealthPages(isReady),
    ...createDocsPages(config),
    ...createDniPages(config.basePath),
    ...createConsolePages(config),
    ...(parts.pages ?? []),
  ]);
  const routeOf = createRequestRouter({ pages, telephony, rpcs, json });

  let isTlsNamed = false;
  /**
   * Logs only the first TLS connection to a server without TLS, so that strangers cannot fill the log. TLS clients only report that the handshake
   * failed.
   */
  const warnOfTls = () => {
    if (isTlsNamed) return;
    isTlsNamed = true;
    log.warn("a client used TLS, but this server does not: use http:// in the client, or set TLS_CERT and TLS_KEY");
  };

  const handler: RequestHandler = {
    handle(request) {
      return observe(request, (state) => {
        const route = routeOf(request);
        state.route = route;
        if (route.kind === "public") allowAnyOrigin(request);
        const reason = findForeignPage(state);
        if (reason !== undefined) return handler.refuse(request, reason);
        const refusal = findRefusal(state);
        if (refusal === undefined) return route.serve(request);
        state.isRefused = true;
        refusal.answer(request);
      });
    },
    refuse(request, reason) {
      observe(request, (state) => {
        state.isRefused = true;
        limitMetrics.refuseRequest(reason);
        if (reason === "TLS_UNSUPPORTED") warnOfTls();
        HTTP_ERRORS_BY_REASON[reason].answer(request);
      });
    },
    fail,
    completeBody(request) {
      const state = findRequestState(request.contextValues);
      if (state === undefined || isExemptFromConcurrencyLimit(state) || concurrency.take(state)) return;
      request.refuseBody();
      handler.refuse(request, "OVERLOADED");
    },
    complete(request) {
      const state = findRequestState(request.contextValues);
      if (state === undefined) return;
      concurrency.release(state);
      if (state.isOpenStream) streams.release(state);
    },
  };
  const watch = new RequestDeadlineEnforcer(limits, handler, log);
  const observe = createRequestObserver(log, registerRequestMetrics(metrics.own), watch, tracing);
  const server = createHttpServer(handler, {
    limits,
    tls: config.tls && createTlsLayer(config.tls, log),
    codings,
    bodyBudget: bodies,
    connectionListener: limitMetrics,
    onError: (error) => log.error({ err: error }, "a connection failed unexpectedly"),
  });
  let ops: OpsServer | undefined;
  return {
    webhooks,
    closeOverdueCalls: () => telephony.closeOverdueCalls(),
    settleVisits,
    async listen(port, host) {
      await telephony.start();
      if (config.ops !== undefined) {
        const opsPages = new Map([...createHealthPages(isReady), ["/metrics", createMetricsPage(metrics)] as const]);
        ops = await startOpsServer(config.ops, opsPages, fail);
        log.info({ port: ops.port }, "serving metrics and health checks on a separate port");
      }
      return {
        port: await listenOnAddress(server, { host, port }, { host: "HOST", port: "PORT" }),
        opsPort: ops?.port,
      };
    },
    async close() {
      await server.close();
      watch.close();
      await Promise.all([
        closeWithTimeout("the visit recorder", CLOSE_MS, log, settleVisits),
        closeWithTimeout("the journal of phone calls", CLOSE_MS, log, () => telephony.close()),
        closeWithTimeout("the API key use log", CLOSE_MS, log, () => guard.close()),
        closeWithTimeout("the metrics server", CLOSE_MS, log, () => ops?.close()),
      ]);
    },
  };
}
