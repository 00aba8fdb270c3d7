import type { OpenApiContext } from "./openapi-context.js";
import type { OpenApiDocument, OpenApiParameter, OpenApiWebhook } from "./openapi-document.js";
import type { DocumentedWebhook } from "./openapi-options.js";
import { RESPONSE_SCHEMA_USE } from "./schema-use.js";

/** Creates the property `webhooks` of a document. The name of a webhook is also its operation id. */
export function createOpenApiWebhooks(
  webhooks: Readonly<Record<string, DocumentedWebhook>>,
  parts: OpenApiContext,
): Exclude<OpenApiDocument["webhooks"], undefined> {
  return Object.fromEntries(
    Object.entries(webhooks).map(([name, webhook]) => [name, { post: createWebhook(name, webhook, parts) }]),
  );
}

function createWebhook(
  operationId: string,
  { summary, description, service, body, headers = {}, responses }: DocumentedWebhook,
  { schemas, security }: OpenApiContext,
): OpenApiWebhook {
  const schema = schemas.messageSchema(body, RESPONSE_SCHEMA_USE);
  return {
    operationId,
    summary,
    description,
    tags: [service.name],
    // No requirement, because clients authenticate the service by headers of the request, not by a credential of the API.
    ...(security && { security: [] }),
    parameters: Object.entries(headers).map(
      ([name, header]): OpenApiParameter => ({
        name,
        in: "header",
        required: true,
        description: header.description,
        schema: { type: "string" },
        example: header.example,
      }),
    ),
    // No example, because validators would check it as a request to the service, which must not contain read-only fields.
    requestBody: { required: true, content: { "application/json": { schema } } },
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, meaning]) => [status, { description: meaning }]),
    ),
  };
}
