import type { OpenApiParameter } from "./openapi-document.js";

/** The header by which a client says how long it waits. */
export function createTimeoutParameter(maxTimeoutMs: number | undefined): OpenApiParameter {
  return {
    name: "X-Server-Timeout",
    in: "header",
    description: "The seconds after which the client no longer waits, such as 2.5: the call is then given up with 504.",
    schema: {
      type: "number",
      minimum: 0,
      ...(Number.isFinite(maxTimeoutMs) && { maximum: Number(maxTimeoutMs) / 1000 }),
    },
  };
}
