import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { parsePathTemplate } from "../routing/parse-path-template.js";
import { encodeSegment } from "../routing/path-escape.js";
import { requireFieldPath } from "../rules/field-path.js";
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
  const path = requireFieldPath(rule.rpc.output, name);
  const field = path.at(-1) ?? path[0];
  return describeContent(field, RESPONSE, schemas);
}

function createLocation(rule: HttpRule, location: string, { basePath, json }: DocumentParts): OpenApiHeader {
  // The template uses proto names.
  const example = createMessageExample(rule.rpc.output, RESPONSE, { ...json, fieldNames: "proto" });
  return {
    description: `URL of the resource: \`${basePath}${location}\`.`,
    schema: { type: "string", format: "uri-reference" },
    example: `${basePath}${fillLocation(location, example)}`,
  };
}

function fillLocation(location: string, message: JsonObject): string {
  const { segments, variables, verb } = parsePathTemplate(location);
  const parts = segments.map((segment, index) => {
    if (segment.kind === "literal") return segment.value;
    const variable = variables.find(({ start, end }) => start <= index && index < end);
    const text = String(readPath(message, variable?.fieldPath.split(".") ?? []));
    const whole = variable !== undefined && variable.end - variable.start > 1 ? text.split("/") : [text];
    return encodeSegment(whole[index - (variable?.start ?? 0)] ?? text);
  });
  return `/${parts.join("/")}${verb === undefined ? "" : `:${verb}`}`;
}

function readPath(message: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return message;
  return readPath((message as JsonObject | undefined)?.[name], rest);
}
