import type { ErrorResponses } from "./error-responses.js";
import type { MessageSchemas } from "./message-schemas.js";
import type { OpenApiSecurity } from "./openapi-options.js";
import type { ProtoComments } from "./proto-comments.js";
import type { JsonOptions } from "./schema-use.js";

/** The inputs for creating operations: options, comments, and the schemas and responses that operations share. */
export interface OpenApiContext {
  readonly json: JsonOptions;
  readonly basePath: string;
  readonly comments: ProtoComments;
  readonly schemas: MessageSchemas;
  readonly errors: ErrorResponses;
  readonly security: OpenApiSecurity | undefined;
}
