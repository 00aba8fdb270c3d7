import type { Settings } from "./settings.js";
import type { SAMPLERS } from "./variables.js";

/**
 * Tracing of requests, as set by OpenTelemetry's environment variables. OpenTelemetry itself reads those of the
 * exporter and of the service's description.
 *
 * See https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export interface TracingSettings {
  readonly sampler: (typeof SAMPLERS)[number];
  /** Whether a trace started by a caller keeps the caller's sampling decision. */
  readonly isParentBased: boolean;
  /** The ratio of sampled traces, 0 to 1; for `traceidratio`. */
  readonly ratio: number;
  readonly batch: {
    readonly scheduledDelayMillis: number;
    readonly exportTimeoutMillis: number;
    readonly maxQueueSize: number;
    readonly maxExportBatchSize: number;
  };
}

/** Tracing of requests; undefined if it is off. It is off unless an exporter or its endpoint is set. */
export function createTracingSettings(settings: Settings): TracingSettings | undefined {
  const endpoint = settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  const exporter = settings.OTEL_TRACES_EXPORTER ?? (endpoint === undefined ? "none" : "otlp");
  if (settings.OTEL_SDK_DISABLED === "true" || exporter === "none") return undefined;
  const sampler = settings.OTEL_TRACES_SAMPLER;
  return {
    sampler: sampler.replace("parentbased_", "") as TracingSettings["sampler"],
    isParentBased: sampler.startsWith("parentbased_"),
    ratio: settings.OTEL_TRACES_SAMPLER_ARG,
    batch: {
      scheduledDelayMillis: settings.OTEL_BSP_SCHEDULE_DELAY,
      exportTimeoutMillis: settings.OTEL_BSP_EXPORT_TIMEOUT,
      maxQueueSize: settings.OTEL_BSP_MAX_QUEUE_SIZE,
      maxExportBatchSize: settings.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
    },
  };
}
