import type { PhoneSystemKind } from "@calltrack/domain";
import { createTranscoder, type HttpRequest } from "@calltrack/transcoding";
import { createNodeContentCodings } from "@calltrack/transcoding/node";
import { createRpcHandler } from "@calltrack/transcoding/rpc";
import type { Logger } from "pino";
import { createAccountDirectory } from "./access/account-directory.js";
import { createGuard } from "./access/guard.js";
import { RateLimits } from "./access/rate-limits.js";
import { createRpcOptions, type StreamGate } from "./access/rpc-options.js";
import { registerCallMetrics } from "./api/calls/call-metrics.js";
import { createEventLog } from "./api/events/event-log.js";
import { methodAccess } from "./api/method-catalog.js";
import { createApi, createGrpcServices, createRoutes } from "./api/routes.js";
import { closeInTime } from "./close-in-time.js";
import type { Config } from "./config/config.js";
import { readRelease } from "./config/release.js";
import type { ServedDatabase } from "./database/open-database.js";
import { WebhookClient } from "./deliveries/webhook-client.js";
import { registerAttemptMetrics } from "./deliveries/webhook-metrics.js";
import { WebhookSender } from "./deliveries/webhook-sender.js";
import { createOverloadError, HTTP_ERRORS } from "./errors/http-errors.js";
import { jsonPathOptions } from "./errors/json-path-options.js";
import { ConcurrencyLimit } from "./http/concurrency-limit.js";
import { createFailureHandler } from "./http/failure-handler.js";
import { createForeignPageCheck } from "./http/foreign-page-check.js";
import { createHttpServer } from "./http/http-server.js";
import { createRequestLimits, isExemptFromConcurrencyLimit } from "./http/limit-requests.js";
import { BodyBudget } from "./http/limits/body-budget.js";
import { DecompressionQueue } from "./http/limits/decompression-queue.js";
import { registerLimitMetrics } from "./http/limits/limit-metrics.js";
import { StreamLimit } from "./http/limits/stream-limit.js";
import { listen } from "./http/listen.js";
import { observeRequests } from "./http/observe-requests.js";
import type { RequestHandler } from "./http/request-handler.js";
import { RequestWatch } from "./http/request-watch.js";
import type { SitePages } from "./http/site-page.js";
import { createTlsLayer } from "./http/tls/tls-layer.js";
import type { ServerMetrics } from "./observability/metrics/server-metrics.js";
import { createReadiness } from "./observability/readiness.js";
import { registerRequestMetrics } from "./observability/requests/request-metrics.js";
import { recordOutcome, requestStateOf } from "./observability/requests/request-state.js";
import type { Tracing } from "./observability/tracing/request-tracer.js";
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

/** The dependencies of the app. `App.close` does not close them. */
export interface AppParts {
  readonly database: ServedDatabase;
  readonly runner: PassRunner;
  /** Encrypts credentials; undefined if the server has no key. */
  readonly secrets: SecretBox | undefined;
  readonly metrics: Pick<ServerMetrics, "own" | "read">;
  readonly log: Logger;
  /** Ends RPCs that would never end by themselves, such as gRPC health watches. */
  readonly shutdown: AbortSignal;
  readonly tracing: Tracing | undefined;
  /** Pages besides the product's own. */
  readonly pages?: SitePages;
}

interface AppPorts {
  readonly port: number;
  /** Undefined without `OPS_PORT`. */
  readonly opsPort: number | undefined;
}

/** Calltrack's HTTP server, for all protocols, and its background work. */
export interface App {
  /** Resolves when the server accepts connections. Rejects with the error of `listen`. */
  listen(port: number, host: string): Promise<AppPorts>;
  readonly webhooks: Pick<WebhookSender, "start" | "stop">;
  /** Ends calls whose phone system did not report their end in time. */
  closeOverdueCalls(): Promise<void>;
  /** Waits for the work that recorded visits cause after their responses: marking pools as due and deleting surplus days. */
  settleVisits(): Promise<void>;
  /** Stops accepting connections, waits for in-flight requests, and closes the app's resources. */
  close(): Promise<void>;
}

/** Time limit for closing each resource, except the HTTP server. */
const CLOSE_MS = 1000;

/**
 * Creates the app. Every request that the HTTP server accepts goes through the chain in `handler`: observe, route, reject requests from
 * pages of other origins, enforce limits, and serve. The request gate authenticates RPCs before their bodies are read. The webhooks of
 * phone systems authenticate their requests themselves.
 */
export function createApp(config: Config, parts: AppParts): App {
  const { database, runner, metrics, log, shutdown, tracing } = parts;
  const { limits } = config;
  const fail = createFailureHandler(log);
  const accounts = createAccountDirectory(database.db);
  const isReady = createReadiness(() => database.ping(), shutdown);

  const bodies = new BodyBudget(limits);
  const limitMetrics = registerLimitMetrics(metrics.own, () => bodies.bytes);

  const concurrency = new ConcurrencyLimit(limits.maxRequests);
  const streams = new StreamLimit(limits);
  const findRefusal = createRequestLimits(limits, concurrency, streams, limitMetrics);
  const refuseOverload = () => {
    limitMetrics.refuseRequest("OVERLOADED");
    return createOverloadError();
  };
  const streamGate: StreamGate = (...stream) => {
    if (!streams.take(...stream)) throw refuseOverload();
  };
  const decompression = new DecompressionQueue(limits.maxPendingBodyBytesPerAddress, refuseOverload);

  const findForeignPage = createForeignPageCheck(config);
  const guard = createGuard(config.auth, methodAccess, database.db, accounts, new RateLimits(limits), log);

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
      ...{ db: database.db, phoneSystems: phoneSystemParts, log, observe: registerAttemptMetrics(metrics.own) },
      client: new WebhookClient(config.allowsPrivateWebhooks, readRelease()),
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
  const options = createRpcOptions(guard, streamGate, limits.maxBodyBytes, findViolations, log);
  const rpcs = createRpcHandler({
    ...options,
    basePath: config.basePath,
    routes: createRoutes([...services, ...createGrpcServices(isReady, shutdown)], limits.maxBodyBytes),
    onBodyTaken: (request: HttpRequest, bytes: number) => bodies.accept(request, bytes),
    onOutcome: recordOutcome,
  });
  const json = createTranscoder({
    ...options,
    ...jsonPathOptions(config),
    routes: createRoutes(services, limits.maxBodyBytes),
  });

  const telephony = createTelephony({
    ...{ config, database, countCall, log },
    ...{ secrets: parts.secrets, registry: metrics.own },
  });

  const pages: SitePages = new Map([
    ...createStartPages(config),
    ...createHealthPages(isReady),
    ...createDocsPages(config),
    ...createDniPages(config.basePath),
    ...createConsolePages(config),
    ...(parts.pages ?? []),
  ]);
  const routeOf = createRequestRouter({ pages, telephony, rpcs, json });

  let isTlsNamed = false;
  /** Logged once, so that strangers cannot fill the log. TLS clients only report that the handshake failed. */
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
        HTTP_ERRORS[reason].answer(request);
      });
    },
    fail,
    completeBody(request) {
      const state = requestStateOf(request.contextValues);
      if (state === undefined || isExemptFromConcurrencyLimit(state) || concurrency.take(state)) return;
      request.refuseBody();
      handler.refuse(request, "OVERLOADED");
    },
    complete(request) {
      const state = requestStateOf(request.contextValues);
      if (state === undefined) return;
      concurrency.release(state);
      if (state.isOpenStream) streams.release(state);
    },
  };
  const watch = new RequestWatch(limits, handler, log);
  const observe = observeRequests(log, registerRequestMetrics(metrics.own), watch, tracing);
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
        log.info({ port: ops.port }, "serving metrics and health checks");
      }
      return { port: await listen(server, { host, port }, { host: "HOST", port: "PORT" }), opsPort: ops?.port };
    },
    async close() {
      await server.close();
      watch.close();
      await Promise.all([
        closeInTime("the counting of visits", CLOSE_MS, log, settleVisits),
        closeInTime("the journal of phone calls", CLOSE_MS, log, () => telephony.close()),
        closeInTime("the log of API key use", CLOSE_MS, log, () => guard.close()),
        closeInTime("the metrics server", CLOSE_MS, log, () => ops?.close()),
      ]);
    },
  };
}
