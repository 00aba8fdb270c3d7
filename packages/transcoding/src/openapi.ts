export { openapi } from "./openapi/openapi.js";
export type {
  OpenApiComponents,
  OpenApiDocument,
  OpenApiHeader,
  OpenApiInfo,
  OpenApiMediaType,
  OpenApiMethod,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiPathItem,
  OpenApiReference,
  OpenApiRequestBody,
  OpenApiResponse,
  OpenApiSecurityRequirement,
  OpenApiSecurityScheme,
  OpenApiTag,
} from "./openapi/openapi-document.js";
export type { DocumentedFailure, OpenApiOptions, OpenApiSecurity } from "./openapi/openapi-options.js";
export type { Schema, SchemaType } from "./openapi/schema.js";
