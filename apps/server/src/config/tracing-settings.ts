import { ConfigError } from "./config-error.js";
import { parseChoice, type ReadVariable } from "./setting-values.js";

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

/**
 * Reads the tracing settings; undefined if tracing is off. It is off unless an exporter or its endpoint is set.
 *
 * @throws ConfigError
 */
export function readTracingSettings(read: ReadVariable): TracingSettings | undefined {
  const isDisabled = parseChoice("OTEL_SDK_DISABLED", read("OTEL_SDK_DISABLED", "false"), ["true", "false"]) === "true";
  const endpoints = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];
  const hasEndpoint = endpoints.filter((name) => hasUrl(read, name)).length > 0;
  const exporter = parseChoice("OTEL_TRACES_EXPORTER", read("OTEL_TRACES_EXPORTER", hasEndpoint ? "otlp" : "none"), [
    "otlp",
    "none",
  ]);
  for (const name of ["OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"]) {
    parseChoice(name, read(name, "http/protobuf"), ["http/protobuf"]);
  }
  const names = SAMPLERS.flatMap((name) => [name, `parentbased_${name}`] as const);
  const sampler = parseChoice("OTEL_TRACES_SAMPLER", read("OTEL_TRACES_SAMPLER", "parentbased_always_on"), names);
  const isParentBased = sampler.startsWith("parentbased_");
  const settings: TracingSettings = {
    sampler: sampler.replace("parentbased_", "") as TracingSettings["sampler"],
    isParentBased,
    ratio: parseRatio(read, "OTEL_TRACES_SAMPLER_ARG"),
    batch: {
      scheduledDelayMillis: count(read, "OTEL_BSP_SCHEDULE_DELAY", 5000),
      exportTimeoutMillis: count(read, "OTEL_BSP_EXPORT_TIMEOUT", 30_000),
      maxQueueSize: count(read, "OTEL_BSP_MAX_QUEUE_SIZE", 2048),
      maxExportBatchSize: count(read, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512),
    },
  };
  return isDisabled || exporter === "none" ? undefined : settings;
}

function hasUrl(read: ReadVariable, name: string): boolean {
  const text = read(name, "");
  if (text === "") return false;
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? "")) return true;
  // The URL may contain a password, so the message does not repeat it.
  throw new ConfigError(`${name} must be a URL such as http://localhost:4318`);
}

function parseRatio(read: ReadVariable, name: string): number {
  const text = read(name, "1");
  if (/^(?:0|1|0?\.\d+|1\.0+|0\.0+)$/.test(text)) return Number(text);
  throw new ConfigError(`${name} must be a number from 0 to 1, not ${JSON.stringify(text)}`);
}

function count(read: ReadVariable, name: string, byDefault: number): number {
  const text = read(name, String(byDefault));
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new ConfigError(`${name} must be a number from 1 to 999999999, not ${JSON.stringify(text)}`);
}
