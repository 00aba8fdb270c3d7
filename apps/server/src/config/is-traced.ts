import type { Settings } from "./settings.js";

/**
 * Whether the server loads OpenTelemetry: an exporter or its endpoint is set. OpenTelemetry reads its other variables itself.
 * See https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export function isTraced(settings: Settings): boolean {
  if (settings.OTEL_SDK_DISABLED?.trim().toLowerCase() === "true") return false;
  const endpoint = settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  const exporter = settings.OTEL_TRACES_EXPORTER ?? endpoint ?? "none";
  return exporter.trim() !== "none";
}
