import { ExportResultCode } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Logger } from "pino";
import type { Config } from "../../config/config.js";
import type { TracingSettings } from "../../config/tracing-settings.js";
import { createRequestTracer, type Tracing } from "./request-tracer.js";
import { createStatementTracer } from "./statement-tracer.js";

/** Starts tracing. Import this module only if tracing is on, because OpenTelemetry takes time and memory to load. */
export function startTracing(
  settings: TracingSettings,
  { database, basePath }: Pick<Config, "database" | "basePath">,
  log: Logger,
): Tracing {
  const exporter = reportingExporter(new OTLPTraceExporter(), log);
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": "calltrack" }))
      .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] })),
    sampler: createSampler(settings),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...settings.batch })],
  });
  const tracer = provider.getTracer("calltrack");
  return {
    ...createRequestTracer(tracer, basePath, createStatementTracer(tracer, database)),
    close: () =>
      provider
        .shutdown()
        .catch((error) => log.warn({ reason: error.message }, "the last traces could not be exported")),
  };
}

function createSampler({ sampler, isParentBased, ratio }: TracingSettings): Sampler {
  const root =
    sampler === "always_on"
      ? new AlwaysOnSampler()
      : sampler === "always_off"
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}

/** Wraps an exporter to log when exports start to fail and when they succeed again. */
function reportingExporter(exporter: SpanExporter, log: Logger): SpanExporter {
  let isFailing = false;
  return {
    export(spans, callback) {
      exporter.export(spans, (result) => {
        const fails = result.code !== ExportResultCode.SUCCESS;
        if (fails && !isFailing) log.warn({ reason: result.error?.message }, "traces cannot be exported");
        if (!fails && isFailing) log.info("traces are exported again");
        isFailing = fails;
        callback(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
