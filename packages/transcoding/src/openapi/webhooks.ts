import type { DocumentParts } from "./document-parts.js";
import type { OpenApiDocument, OpenApiParameter, OpenApiWebhook } from "./openapi-document.js";
import type { DocumentedWebhook } from "./openapi-options.js";
import { RESPONSE } from "./schema-use.js";

/** Creates the `webhooks` of a document. Their operation ids are their names. */
export function createWebhooks(
  webhooks: Readonly<Record<string, DocumentedWebhook>>,
  parts: DocumentParts,
): Exclude<OpenApiDocument["webhooks"], undefined> {
  return Object.fromEntries(
    Object.entries(webhooks).map(([name, webhook]) => [name, { post: createWebhook(name, webhook, parts) }]),
  );
}

function createWebhook(
  operationId: string,
  { summary, description, service, body, headers = {}, responses }: DocumentedWebhook,
  { schemas, security }: DocumentParts,
): OpenApiWebhook {
  const schema = schemas.messageSchema(body, RESPONSE);
  return {
    operationId,
    summary,
    description,
    tags: [service.name],
    // Clients know the service by its headers, not by a credential of the API.
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
    // Without an example: validators judge it as one of a request to the service, which may not have read-only fields.
    requestBody: { required: true, content: { "application/json": { schema } } },
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, meaning]) => [status, { description: meaning }]),
    ),
  };
}
