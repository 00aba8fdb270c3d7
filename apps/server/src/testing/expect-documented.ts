import type { IncomingHttpHeaders } from "node:http";
import type {
  OpenApiDocument,
  OpenApiOperation,
  OpenApiPathItem,
  OpenApiResponse,
  Schema,
} from "@calltrack/transcoding/openapi";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { expect } from "vitest";
import { readConfig } from "../config/config.js";
import { createApiDocument } from "../pages/api-document.js";

/** A response from a JSON path. */
export interface JsonPathAnswer {
  readonly status: number;
  readonly headers: Headers | IncomingHttpHeaders;
  /** The body as text. */
  readonly text: string;
}

// The schemas do not depend on the base path. Authentication is on, so that the document includes its errors.
const { paths, components } = createApiDocument(readConfig({ AUTH: "keys" }));
const checkSchema = createSchemaCheck(components.schemas);

/** Statuses of requests that are rejected before routing. No operation lists them. */
const BEFORE_ANY_PATH = [408, 417, 431];

/** Paths that are not JSON paths of the API: health checks and the API page. */
const PAGE_PATH = /^\/(?:healthz|readyz|metrics|dni\.js|docs|openapi\.json)(?:\/|$)/;

/** Paths of Connect and gRPC methods, which are served at the root and under the base path. */
const RPC_PATH = /^\/[\w.]+\.\w+\/\w+(?:\/|$)/;

/**
 * Asserts that a response matches the OpenAPI document: its status, media type and headers are listed, and its body matches the
 * schema without additional fields. Without a matching operation, the response must be an error.
 *
 * @param target the path and query of the request, including `basePath`.
 */
export function expectDocumented(method: string, target: string, answer: JsonPathAnswer, basePath = ""): void {
  const path = decodeUnreserved(target.split("?", 1)[0] ?? "");
  const relative = path.startsWith(basePath) ? path.slice(basePath.length) : undefined;
  if (PAGE_PATH.test(path) || RPC_PATH.test(path) || RPC_PATH.test(relative ?? "")) return;
  const item = relative === undefined ? undefined : findPathItem(withoutAlias(relative));
  const operation = item?.[(method === "HEAD" ? "get" : method.toLowerCase()) as "get"];
  if (BEFORE_ANY_PATH.includes(answer.status)) expectError(answer);
  else if (operation === undefined) expectNoOperation(method, answer);
  else expectResponse(operation, method === "HEAD", answer);
}

/** Decodes percent-encoded unreserved characters, which are equivalent to the characters themselves (RFC 3986 section 6.2.2.2). */
function decodeUnreserved(path: string): string {
  return path.replace(/%(?:2[DE]|3\d|[46][1-9A-F]|[57][0-9A]|5F|7E)/gi, decodeURIComponent);
}

/** Replaces the alias of a path with the spelling in the document. */
function withoutAlias(path: string): string {
  return path.replace(/^\/dni-manager(?=\/)/, "/dni_manager");
}

/** The path templates of the document as patterns, those with the fewest parameters first. */
const PATTERNS = Object.keys(paths)
  .toSorted((a, b) => a.split("{").length - b.split("{").length || b.length - a.length)
  .map((template) => {
    const pattern = template.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{[^}]*\}/g, "[^/]+");
    return { template, pattern: new RegExp(`^${pattern}$`) };
  });

/** Finds the document's path template that matches a path: the one with the fewest parameters if several match. */
function findPathItem(path: string): OpenApiPathItem | undefined {
  const best = PATTERNS.find(({ pattern }) => pattern.test(path));
  return best && paths[best.template];
}

function expectNoOperation(method: string, answer: JsonPathAnswer): void {
  if (method === "OPTIONS" && answer.status < 400) {
    expect(answer).toMatchObject({ status: 204, text: "" });
    return;
  }
  expect([400, 404, 405]).toContain(answer.status);
  if (method !== "HEAD") expectError(answer);
}

/** Asserts that a response is an error of the OpenAPI document. */
export function expectError({ status, headers, text }: JsonPathAnswer): void {
  expect(header(headers, "content-type")).toBe("application/json");
  const body = JSON.parse(text);
  expect(checkSchema(ERROR, body)).toBeUndefined();
  expect(body.error.code).toBe(status);
}

const ERROR: Schema = { $ref: "#/components/schemas/ErrorResponse" };

function expectResponse(operation: OpenApiOperation, isHead: boolean, answer: JsonPathAnswer): void {
  const listed = operation.responses[answer.status];
  expect(listed, `${operation.operationId} lists ${answer.status}`).toBeDefined();
  const response = listed && "$ref" in listed ? components.responses[listed.$ref.split("/").at(-1) ?? ""] : listed;
  if (response === undefined) return;
  expectHeaders(response, answer);
  if (isHead || response.content === undefined) expect(answer.text).toBe("");
  else expectBody(response.content, answer);
}

function expectHeaders({ headers: listed = {} }: OpenApiResponse, { headers }: JsonPathAnswer): void {
  const names = Object.keys(listed).map((name) => name.toLowerCase());
  for (const name of ["location", "link", "x-next-page-token", "etag"]) {
    if (header(headers, name) !== undefined) expect(names).toContain(name);
  }
  for (const [name, { schema }] of Object.entries(listed)) {
    const value = header(headers, name.toLowerCase());
    if (name === "Location") expect(value).toBeDefined();
    if (value !== undefined) expect(checkSchema(schema, value)).toBeUndefined();
  }
}

function expectBody(content: NonNullable<OpenApiResponse["content"]>, { headers, text }: JsonPathAnswer): void {
  const type = header(headers, "content-type") ?? "";
  expect(Object.keys(content)).toContain(type);
  const schema = content["application/json"]?.schema ?? {};
  for (const [value, valueSchema] of readValues(type, text, schema)) {
    expect(checkSchema(valueSchema, value), text.slice(0, 500)).toBeUndefined();
  }
}

/** Returns the values of a body with their schemas. Each line or event is an item of the JSON response's array. */
function readValues(type: string, text: string, schema: Schema): readonly (readonly [unknown, Schema])[] {
  if (type === "application/json") return [[JSON.parse(text), schema]];
  const lines = text
    .split("\n")
    .filter((line) => (type === "text/event-stream" ? line.startsWith("data: ") : line !== ""));
  return lines.map((line) => [JSON.parse(line.replace(/^data: /, "")), schema.items ?? {}]);
}

function header(headers: JsonPathAnswer["headers"], name: string): string | undefined {
  return headers instanceof Headers ? (headers.get(name) ?? undefined) : headers[name]?.toString();
}

/** Returns the violations of a schema as text; undefined if the value is valid. */
type SchemaCheck = (schema: Schema, value: unknown) => string | undefined;

/**
 * Creates a validator for the schemas of the OpenAPI document. It is stricter than the schemas: objects have no additional
 * properties unless the schema allows them explicitly.
 */
export function createSchemaCheck(schemas: OpenApiDocument["components"]["schemas"]): SchemaCheck {
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
  formats.default(ajv);
  ajv.addSchema(prepare({ $id: "document", $defs: schemas }));
  const compiled = new WeakMap<Schema, ValidateFunction>();
  return (schema, value) => {
    const validate = compiled.get(schema) ?? ajv.compile(prepare(schema));
    compiled.set(schema, validate);
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  };
}

/** Disallows additional properties, and rewrites references to `$defs`. */
function prepare(schema: object): object {
  const text = JSON.stringify(schema).replaceAll('"#/components/schemas/', '"document#/$defs/');
  return JSON.parse(text, (_, value) =>
    value?.type === "object" && value.properties !== undefined ? { additionalProperties: false, ...value } : value,
  );
}
