import { create, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { createLocationReader } from "../responses/location-header.js";
import { lastField, requireFieldPath } from "../rules/field-path.js";
import { listResponseHeaders } from "../rules/header-fields.js";
import type { HttpRule } from "../rules/http-rule.js";
import type { DocumentParts } from "./document-parts.js";
import { describeContent } from "./field-schema.js";
import { createMessageExample } from "./message-example.js";
import type { OpenApiHeader, OpenApiResponse } from "./openapi-document.js";
import { RESPONSE } from "./schema-use.js";

/** Creates the headers of a rule's successful responses from its `transcoding.v1` options. */
export function createResponseHeaders(rule: HttpRule, parts: DocumentParts): Pick<OpenApiResponse, "headers"> {
  const { response } = rule;
  const headers: Record<string, OpenApiHeader> = {};
  if (response?.location) headers.Location = createLocation(rule, response.location, parts);
  for (const { name, field } of listResponseHeaders(rule)) headers[name] = createFieldHeader(rule, field, parts);
  if (response !== undefined && response.links.length > 0) {
    const links = response.links.map(
      ({ rel, parameter }) => `\`rel="${rel}"\`, the request's own target with a different \`${parameter}\``,
    );
    headers.Link = { description: `RFC 8288: ${links.join("; ")}.`, schema: { type: "string" } };
  }
  return Object.keys(headers).length === 0 ? {} : { headers };
}

function createFieldHeader(rule: HttpRule, name: string, { schemas }: DocumentParts): OpenApiHeader {
  return describeContent(lastField(requireFieldPath(rule.rpc.output, name)), RESPONSE, schemas);
}

function createLocation({ rpc }: HttpRule, location: string, { basePath, json }: DocumentParts): OpenApiHeader {
  // The template uses proto names.
  const message = createMessageExample(rpc.output, RESPONSE, { ...json, fieldNames: "proto" });
  const read = createLocationReader(location, basePath, (path) => () => readPath(message, path.split("."))?.toString());
  const example = read(create(rpc.output));
  return {
    description: `URL of the resource: \`${basePath}${location}\`.`,
    schema: { type: "string", format: "uri-reference" },
    ...(example !== undefined && { example }),
  };
}

function readPath(message: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  return path.reduce((value, name) => (value as JsonObject | undefined)?.[name], message);
}
