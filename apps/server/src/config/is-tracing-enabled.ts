import type { Settings } from "./settings.js";

/**
 * Whether the server loads OpenTelemetry: only if the variables set an exporter or the endpoint of an exporter. See
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export function isTracingEnabled(settings: Settings): boolean {
  if (settings.OTEL_SDK_DISABLED?.trim().toLowerCase() === "true") return false;
  const endpoint = settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  const exporter = settings.OTEL_TRACES_EXPORTER ?? endpoint ?? "none";
  return exporter.trim() !== "none";
}
