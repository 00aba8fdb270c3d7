import type { OpenApiParameter } from "./openapi-document.js";

/** Creates the parameter of the header with the client's timeout. */
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
