import type { Settings } from "./settings.js";

const SAMPLERS = ["always_on", "always_off", "traceidratio"] as const;

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

/** Reads the tracing settings; undefined if tracing is off. It is off unless an exporter or its endpoint is set. */
export function readTracingSettings(settings: Settings): TracingSettings | undefined {
  const isDisabled = settings.choice("OTEL_SDK_DISABLED", "false", ["true", "false"]) === "true";
  const endpoints = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];
  const hasEndpoint = endpoints.filter((name) => hasUrl(settings, name)).length > 0;
  const exporter = settings.choice("OTEL_TRACES_EXPORTER", hasEndpoint ? "otlp" : "none", ["otlp", "none"]);
  for (const name of ["OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"]) {
    settings.choice(name, "http/protobuf", ["http/protobuf"]);
  }
  const names = SAMPLERS.flatMap((name) => [name, `parentbased_${name}`] as const);
  const sampler = settings.choice("OTEL_TRACES_SAMPLER", "parentbased_always_on", names);
  const count = (name: string, byDefault: number) => settings.count(name, byDefault, 1, 999_999_999);
  const tracing: TracingSettings = {
    sampler: sampler.replace("parentbased_", "") as TracingSettings["sampler"],
    isParentBased: sampler.startsWith("parentbased_"),
    ratio: settings.parse("OTEL_TRACES_SAMPLER_ARG", "1", parseRatio, "be a number from 0 to 1"),
    batch: {
      scheduledDelayMillis: count("OTEL_BSP_SCHEDULE_DELAY", 5000),
      exportTimeoutMillis: count("OTEL_BSP_EXPORT_TIMEOUT", 30_000),
      maxQueueSize: count("OTEL_BSP_MAX_QUEUE_SIZE", 2048),
      maxExportBatchSize: count("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512),
    },
  };
  return isDisabled || exporter === "none" ? undefined : tracing;
}

function hasUrl(settings: Settings, name: string): boolean {
  const text = settings.text(name);
  const isUrl = /^https?:$/.test(URL.parse(text)?.protocol ?? "");
  // The URL may contain a password, so the message does not repeat it.
  if (text !== "" && !isUrl) settings.reject(`${name} must be a URL such as http://localhost:4318`);
  return isUrl;
}

function parseRatio(text: string): number | undefined {
  return /^(?:0|1|0?\.\d+|1\.0+|0\.0+)$/.test(text) ? Number(text) : undefined;
}
