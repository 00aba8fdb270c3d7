import { type DiagLogFunction, DiagLogLevel, diag, INVALID_TRACEID, trace } from "@opentelemetry/api";
import { setGlobalErrorHandler } from "@opentelemetry/core";
import {
  defaultResource,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from "@opentelemetry/resources";
import { NodeSDK } from "@opentelemetry/sdk-node";
import type { Logger } from "pino";
import type { Config } from "../../config/config.js";
import { createRequestTracer, type RequestTracer } from "./request-tracer.js";
import { createStatementTracer } from "./statement-tracer.js";

/** The minimum time between two log lines about failed exports of traces. */
const REPORT_INTERVAL_MS = 60_000;

/**
 * Starts tracing as OpenTelemetry's environment variables configure it, and logs invalid variables. Import this module only if tracing is
 * on, because OpenTelemetry takes time and memory to load.
 *
 * @returns undefined if the variables configure no exporter, or if tracing cannot start.
 */
export function startTracing({ database, basePath }: Pick<Config, "database" | "basePath">, log: Logger) {
  try {
    logWarnings(log);
    const sdk = createSdk();
    // Repeated, because the constructor of the SDK replaces the logger with the console if OTEL_LOG_LEVEL is set.
    logWarnings(log);
    sdk.start();
    const tracer = trace.getTracer("calltrack");
    // Without an exporter, the SDK registers no tracer provider, and spans get no trace id.
    if (tracer.startSpan("start").spanContext().traceId === INVALID_TRACEID) return undefined;
    return {
      ...createRequestTracer(tracer, basePath, createStatementTracer(tracer, database)),
      close: () =>
        sdk
          .shutdown()
          .catch((error) => log.warn({ reason: error.message }, "the remaining traces could not be exported")),
    } satisfies RequestTracer;
  } catch (error) {
    log.warn(
      { reason: error instanceof Error ? error.message : error },
      "tracing could not be started: the server continues without it",
    );
    return undefined;
  }
}

/** Creates an SDK for traces only. The resource in its traces omits the command line and the host name. */
function createSdk(): NodeSDK {
  return new NodeSDK({
    resource: defaultResource().merge(resourceFromAttributes({ "service.name": "calltrack" })),
    resourceDetectors: [serviceInstanceIdDetector, envDetector],
    metricReaders: [],
    logRecordProcessors: [],
  });
}

/** Sends the warnings and errors of the OpenTelemetry SDK to the log. Failed exports are logged at most once a minute. */
function logWarnings(log: Logger): void {
  const warn: DiagLogFunction = (reason) =>
    log.warn({ reason: withoutCredentials(reason) }, "OpenTelemetry reports a problem");
  const ignore: DiagLogFunction = () => {};
  const logger = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  let reportedAt = -Infinity;
  setGlobalErrorHandler((error) => {
    if (performance.now() < reportedAt + REPORT_INTERVAL_MS) return;
    reportedAt = performance.now();
    log.warn({ reason: error instanceof Error ? error.message : error }, "traces cannot be exported");
  });
}

/** Removes credentials from the URLs in a text: the URLs of trace collectors may contain passwords. */
function withoutCredentials(text: string): string {
  return text.replace(/(?<![^\s"'/])[^\s"'/]*@/g, "…@");
}
