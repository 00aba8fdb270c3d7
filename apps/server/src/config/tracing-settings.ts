import { ConfigError } from "./config-error.js";
import { parseChoice, type ReadVariable } from "./setting-values.js";

const SAMPLERS = ["always_on", "always_off", "traceidratio"] as const;

/**
 * How requests are traced: as OpenTelemetry's own environment variables say. Those of the exporter, and those that describe the
 * service, are read by OpenTelemetry itself.
 *
 * See https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export interface TracingSettings {
  readonly sampler: (typeof SAMPLERS)[number];
  /** Whether a trace that a caller has begun is sampled as the caller's is. */
  readonly isParentBased: boolean;
  /** The share of traces that are sampled, 0 to 1; for `traceidratio`. */
  readonly ratio: number;
  readonly batch: {
    readonly scheduledDelayMillis: number;
    readonly exportTimeoutMillis: number;
    readonly maxQueueSize: number;
    readonly maxExportBatchSize: number;
  };
}

/**
 * Reads how requests are traced; undefined if they are not, which is so unless an exporter, or where it exports to, is named.
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
    ratio: share(read, "OTEL_TRACES_SAMPLER_ARG"),
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
  // It may hold a password and is not repeated.
  throw new ConfigError(`${name} must be a URL such as http://localhost:4318`);
}

function share(read: ReadVariable, name: string): number {
  const text = read(name, "1");
  if (/^(?:0|1|0?\.\d+|1\.0+|0\.0+)$/.test(text)) return Number(text);
  throw new ConfigError(`${name} must be a number from 0 to 1, not ${JSON.stringify(text)}`);
}

function count(read: ReadVariable, name: string, byDefault: number): number {
  const text = read(name, String(byDefault));
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new ConfigError(`${name} must be a number from 1 to 999999999, not ${JSON.stringify(text)}`);
}
