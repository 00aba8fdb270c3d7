import type { JsonValue } from "@bufbuild/protobuf";
import { type HttpRule, hasResponseBody, streamsResponses } from "../rules/http-rule.js";
import { hasPresence } from "../values/local-message.js";
import { isRawBody } from "../values/raw-body.js";
import type { DocumentParts } from "./document-parts.js";
import { createContentSchema } from "./field-schema.js";
import { createFieldExample, createMessageExample } from "./message-example.js";
import type { OpenApiMediaType, OpenApiResponse } from "./openapi-document.js";
import { createResponseHeaders } from "./response-headers.js";
import { type Schema, toNullable } from "./schema.js";
import { RESPONSE } from "./schema-use.js";
import { createStreamContent } from "./stream-content.js";

/** Creates the successful response of a rule. */
export function createSuccessResponse(rule: HttpRule, parts: DocumentParts): OpenApiResponse {
  const headers = createResponseHeaders(rule, parts);
  if (!hasResponseBody(rule)) return { description: "Done. The response has no body.", ...headers };
  const source = rule.responseBody ?? rule.rpc.output;
  return { description: parts.comments.find(source) ?? "Done.", ...headers, content: createContent(rule, parts) };
}

function createContent(rule: HttpRule, parts: DocumentParts): Readonly<Record<string, OpenApiMediaType>> {
  const { responseBody, rpc } = rule;
  const message = responseBody === undefined ? rpc.output : responseBody.message;
  if (responseBody?.fieldKind !== "list" && isRawBody(message)) return { "*/*": { schema: {} } };
  const schema = createBodySchema(rule, parts);
  const example = createBodyExample(rule, parts);
  return streamsResponses(rpc)
    ? createStreamContent(schema, example, parts.errors.recordSchema)
    : { "application/json": { schema, example } };
}

function createBodySchema({ responseBody, rpc }: HttpRule, { schemas }: DocumentParts): Schema {
  if (responseBody === undefined) return schemas.messageSchema(rpc.output, RESPONSE);
  const schema = createContentSchema(responseBody, RESPONSE, schemas);
  return hasPresence(responseBody) ? toNullable(schema) : schema;
}

function createBodyExample({ responseBody, rpc }: HttpRule, { json }: DocumentParts): JsonValue {
  return responseBody === undefined
    ? createMessageExample(rpc.output, RESPONSE, json)
    : createFieldExample(responseBody, RESPONSE, json);
}
