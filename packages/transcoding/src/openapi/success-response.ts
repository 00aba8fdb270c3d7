import { create, type DescField, type DescMessage, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { createLocationReader } from "../responses/location-header.js";
import { listLocationTemplates } from "../rules/check-http-response-option.js";
import { getLastField, requireFieldPath } from "../rules/field-path.js";
import { listResponseHeaders } from "../rules/header-fields.js";
import { type HttpRule, hasResponseBody, streamsResponses } from "../rules/http-rule.js";
import { isRawBodyType } from "../values/raw-body.js";
import { hasFieldPresence } from "../values/untyped-message.js";
import { createFieldContentSchema, describeFieldContent } from "./field-schema.js";
import { createFieldBodyExample, createMessageExample } from "./message-example.js";
import type { OpenApiContext } from "./openapi-context.js";
import type { OpenApiHeader, OpenApiMediaType, OpenApiResponse } from "./openapi-document.js";
import { type Schema, toNullableSchema } from "./schema.js";
import { RESPONSE_SCHEMA_USE } from "./schema-use.js";

export function createSuccessResponse(rule: HttpRule, parts: OpenApiContext): OpenApiResponse {
  const headers = createResponseHeaders(rule, parts);
  if (!hasResponseBody(rule)) return { description: "The request succeeded. The response has no body.", ...headers };
  const source = rule.responseBody ?? rule.rpc.output;
  return {
    description: parts.comments.find(source) ?? "The request succeeded.",
    ...headers,
    content: createContent(rule, parts),
  };
}

function createContent(rule: HttpRule, parts: OpenApiContext): Readonly<Record<string, OpenApiMediaType>> {
  const { responseBody, rpc } = rule;
  const message = responseBody === undefined ? rpc.output : responseBody.message;
  if (responseBody?.fieldKind !== "list" && isRawBodyType(message)) return { "*/*": { schema: {} } };
  const { schema, example } =
    responseBody === undefined ? describeMessage(rpc.output, parts) : describeField(responseBody, parts);
  return streamsResponses(rpc)
    ? createStreamContent(schema, example, parts.errors.recordSchema)
    : { "application/json": { schema, example } };
}

function describeMessage(desc: DescMessage, { schemas, json }: OpenApiContext) {
  return {
    schema: schemas.messageSchema(desc, RESPONSE_SCHEMA_USE),
    example: createMessageExample(desc, RESPONSE_SCHEMA_USE, json),
  };
}

function describeField(field: DescField, { schemas, json }: OpenApiContext) {
  // Includes the unspecified value, because an enum that is the whole body is written even if it has its zero value.
  const schema =
    field.fieldKind === "enum"
      ? schemas.enumSchema(field.enum, "unspecified")
      : createFieldContentSchema(field, RESPONSE_SCHEMA_USE, schemas);
  const example = createFieldBodyExample(field, RESPONSE_SCHEMA_USE, json);
  return { schema: hasFieldPresence(field) ? toNullableSchema(schema) : schema, example };
}

/**
 * Creates the content of a stream's response. If an error follows the first message, it is the last record. OpenAPI 3.1 can describe only arrays, so
 * the schemas of the other stream formats are strings.
 */
function createStreamContent(
  message: Schema,
  example: JsonValue,
  errorRecord: Schema,
): Readonly<Record<string, OpenApiMediaType>> {
  const text = JSON.stringify(example);
  return {
    "application/json": {
      schema: { type: "array", items: { anyOf: [message, errorRecord] } },
      example: [example],
    },
    "application/x-ndjson": {
      schema: { type: "string", description: "One line for each item of the `application/json` array." },
      example: `${text}\n`,
    },
    "text/event-stream": {
      schema: {
        type: "string",
        description:
          "One event for each item of the `application/json` array, with the item as its data. Error events are named `error`.",
      },
      example: `data: ${text}\n\n`,
    },
  };
}

/** Creates the headers of a rule's successful responses from the `transcoding.v1` options. Empty if there are none. */
function createResponseHeaders(rule: HttpRule, parts: OpenApiContext): Pick<OpenApiResponse, "headers"> {
  const { response, rpc } = rule;
  // The headers of a stream cannot contain fields of a response message, because the server sends the headers before the messages.
  if (streamsResponses(rpc)) return {};
  const headers: Record<string, OpenApiHeader> = {};
  const locations = listLocationTemplates(response);
  if (locations.length > 0) headers.Location = createLocation(rule, locations, parts);
  for (const { name, field } of listResponseHeaders(rule)) headers[name] = createFieldHeader(rule, field, parts);
  if (response !== undefined && response.links.length > 0) {
    const links = response.links.map(
      ({ rel, parameter }) => `\`rel="${rel}"\`, the request target with a different \`${parameter}\``,
    );
    headers.Link = { description: `RFC 8288: ${links.join("; ")}.`, schema: { type: "string" } };
  }
  return Object.keys(headers).length === 0 ? {} : { headers };
}

function createFieldHeader(rule: HttpRule, name: string, { schemas }: OpenApiContext): OpenApiHeader {
  return describeFieldContent(getLastField(requireFieldPath(rule.rpc.output, name)), RESPONSE_SCHEMA_USE, schemas);
}

function createLocation(
  { rpc }: HttpRule,
  locations: readonly string[],
  { basePath, json }: OpenApiContext,
): OpenApiHeader {
  // Uses proto names, because the path template of the Location header names fields by their proto names.
  const message = createMessageExample(rpc.output, RESPONSE_SCHEMA_USE, { ...json, fieldNames: "proto" });
  const readField = (path: string) => () => readPath(message, path.split("."))?.toString();
  const example = createLocationReader(locations[0] ?? "/", basePath, readField)(create(rpc.output));
  return {
    description: `URL of the resource: ${locations.map((location) => `\`${basePath}${location}\``).join(" or ")}.`,
    schema: { type: "string", format: "uri-reference" },
    ...(example !== undefined && { example }),
  };
}

function readPath(message: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  return path.reduce((value, name) => (value as JsonObject | undefined)?.[name], message);
}
