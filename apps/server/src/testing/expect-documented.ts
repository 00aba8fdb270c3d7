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

/** A response to a request for a path of the JSON API. */
export interface JsonPathAnswer {
  readonly status: number;
  readonly headers: Headers | IncomingHttpHeaders;
  /** The body as text. */
  readonly text: string;
}

// Authentication is on, so that the document includes authentication errors. The base path has its default, because the schemas do not depend on it.
const { paths, components } = createApiDocument(readConfig({ AUTH: "keys" }));
const checkSchema = createSchemaCheck(components.schemas);

/** The statuses with which the server rejects requests before routing. No operation in the OpenAPI document lists these statuses. */
const BEFORE_ANY_PATH = [408, 417, 431];

/** Paths outside the JSON API: health checks, metrics, the DNI script, the API page and the OpenAPI document. */
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

/** Replaces `/dni-manager` at the start of a path with `/dni_manager`, the spelling in the OpenAPI document. */
function withoutAlias(path: string): string {
  return path.replace(/^\/dni-manager(?=\/)/, "/dni_manager");
}

/** The path templates of the OpenAPI document with their regular expressions, sorted by the number of parameters, fewest first. */
const PATTERNS = Object.keys(paths)
  .toSorted((a, b) => a.split("{").length - b.split("{").length || b.length - a.length)
  .map((template) => {
    const pattern = template.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{[^}]*\}/g, "[^/]+");
    return { template, pattern: new RegExp(`^${pattern}$`) };
  });

/**
 * Returns the item of the OpenAPI document whose path template matches the path; undefined if no template matches. If several match, the template
 * with the fewest parameters wins.
 */
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

/** Asserts that a response body is JSON and matches the schema `ErrorResponse`, and that its error code is the HTTP status. */
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

/**
 * Returns each JSON value in a response body with its schema. In NDJSON and event streams, each value is an item of the array that the JSON response
 * contains.
 */
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

/** Returns a copy of a schema that disallows additional properties by default. References to `#/components/schemas` become references to `$defs`. */
function prepare(schema: object): object {
  const text = JSON.stringify(schema).replaceAll('"#/components/schemas/', '"document#/$defs/');
  return JSON.parse(text, (_, value) =>
    value?.type === "object" && value.properties !== undefined ? { additionalProperties: false, ...value } : value,
  );
}
