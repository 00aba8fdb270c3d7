import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { type HttpRule, hasResponseBody, streamsResponses } from "../rules/http-rule.js";
import { hasPresence } from "../values/local-message.js";
import { isRawBody } from "../values/raw-body.js";
import type { DocumentParts } from "./document-parts.js";
import { createContentSchema } from "./field-schema.js";
import { createFieldExample, createMessageExample } from "./message-example.js";
import type { OpenApiMediaType, OpenApiResponse } from "./openapi-document.js";
import { createResponseHeaders } from "./response-headers.js";
import { toNullable } from "./schema.js";
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
  const { schema, example } =
    responseBody === undefined ? describeMessage(rpc.output, parts) : describeField(responseBody, parts);
  return streamsResponses(rpc)
    ? createStreamContent(schema, example, parts.errors.recordSchema)
    : { "application/json": { schema, example } };
}

function describeMessage(desc: DescMessage, { schemas, json }: DocumentParts) {
  return { schema: schemas.messageSchema(desc, RESPONSE), example: createMessageExample(desc, RESPONSE, json) };
}

function describeField(field: DescField, { schemas, json }: DocumentParts) {
  const schema = createContentSchema(field, RESPONSE, schemas);
  const example = createFieldExample(field, RESPONSE, json);
  return { schema: hasPresence(field) ? toNullable(schema) : schema, example };
}
