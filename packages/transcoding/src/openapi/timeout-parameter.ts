import type { OpenApiParameter } from "./openapi-document.js";

/** Creates the parameter of the header with the client's timeout. */
export function createTimeoutParameter(maxTimeoutMs: number | undefined): OpenApiParameter {
  return {
    name: "X-Server-Timeout",
    in: "header",
    description: "Timeout of the request in seconds, such as 2.5. After that time, the response is 504.",
    schema: {
      type: "number",
      minimum: 0,
      ...(Number.isFinite(maxTimeoutMs) && { maximum: Number(maxTimeoutMs) / 1000 }),
    },
  };
}
