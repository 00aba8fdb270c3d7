export { openapi } from "./openapi/openapi.js";
export type * from "./openapi/openapi-document.js";
export type {
  DocumentedFailure,
  DocumentedWebhook,
  OpenApiOptions,
  OpenApiSecurity,
} from "./openapi/openapi-options.js";
export type { Schema, SchemaType } from "./openapi/schema.js";
