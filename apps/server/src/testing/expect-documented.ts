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
import { createApiDocument } from "../pages/api-document.js";

/** An answer of a JSON path. */
interface JsonPathAnswer {
  readonly status: number;
  readonly headers: Headers | IncomingHttpHeaders;
  /** The body. */
  readonly text: string;
}

// The schemas do not depend on the base path, and what is refused of callers who are asked for a key is documented beside the rest.
const { paths, components } = createApiDocument({ basePath: "", auth: { keys: true, issuer: undefined } });
const checkSchema = createSchemaCheck(components.schemas);

/** What HTTP answers before any path is looked at; no operation lists it. */
const BEFORE_ANY_PATH = [408, 417, 431];

/** What is served beside the JSON paths: health, the API page, and the procedures of Connect and gRPC. */
const NO_JSON_PATH = /^\/(?:healthz|readyz|metrics|dni\.js|docs|openapi\.json|[\w.]+\.\w+\/\w+)(?:\/|$)/;

/**
 * Asserts that an answer is one that the API's document has: that its status is listed, its body is of a listed media type
 * and of its schema, with no field more, and its headers are those that are listed. An answer to what no operation is there
 * for must be an error.
 *
 * @param target the path and the query as they were sent, with `basePath` in front.
 */
export function expectDocumented(method: string, target: string, answer: JsonPathAnswer, basePath = ""): void {
  const path = decodeUnreserved(target.split("?", 1)[0] ?? "");
  if (NO_JSON_PATH.test(path)) return;
  const item = path.startsWith(basePath) ? findPathItem(withoutAlias(path.slice(basePath.length))) : undefined;
  const operation = item?.[(method === "HEAD" ? "get" : method.toLowerCase()) as "get"];
  if (BEFORE_ANY_PATH.includes(answer.status)) expectError(answer);
  else if (operation === undefined) expectNoOperation(method, answer);
  else expectResponse(operation, method === "HEAD", answer);
}

/** An escape of an unreserved character is that character (RFC 3986 section 6.2.2.2). */
function decodeUnreserved(path: string): string {
  return path.replace(/%(?:2[DE]|3\d|[46][1-9A-F]|[57][0-9A]|5F|7E)/gi, decodeURIComponent);
}

/** The document has each path in one spelling. */
function withoutAlias(path: string): string {
  return path.replace(/^\/dni-manager(?=\/)/, "/dni_manager");
}

/** The path of the document that a raw path is of: with the fewest parameters where there are several. */
function findPathItem(path: string): OpenApiPathItem | undefined {
  const matching = Object.keys(paths).filter((template) => {
    const pattern = template.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{[^}]*\}/g, "[^/]+");
    return new RegExp(`^${pattern}$`).test(path);
  });
  const [best] = matching.toSorted((a, b) => a.split("{").length - b.split("{").length || b.length - a.length);
  return best === undefined ? undefined : paths[best];
}

function expectNoOperation(method: string, answer: JsonPathAnswer): void {
  if (method === "OPTIONS" && answer.status < 400) {
    expect(answer).toMatchObject({ status: 204, text: "" });
    return;
  }
  expect([400, 404, 405]).toContain(answer.status);
  if (method !== "HEAD") expectError(answer);
}

function expectError({ headers, text }: JsonPathAnswer): void {
  expect(header(headers, "content-type")).toBe("application/json");
  expect(checkSchema(ERROR, JSON.parse(text))).toBeUndefined();
}

const ERROR: Schema = { $ref: "#/components/schemas/Error" };

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

/** The values of a body with the schema of each; those of lines and events are items of the array that JSON has. */
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

/** What is wrong with a value by a schema, undefined if nothing is. */
type SchemaCheck = (schema: Schema, value: unknown) => string | undefined;

/**
 * Creates the check of the schemas of the API's document. It is stricter than they are: an object has no property that its
 * schema does not list, unless that says that it may.
 */
export function createSchemaCheck(schemas: OpenApiDocument["components"]["schemas"]): SchemaCheck {
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
  formats.default(ajv);
  ajv.addSchema(prepare({ $id: "document", $defs: schemas }));
  const compiled = new Map<string, ValidateFunction>();
  return (schema, value) => {
    const key = JSON.stringify(schema);
    const validate = compiled.get(key) ?? ajv.compile(prepare(schema));
    compiled.set(key, validate);
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  };
}

/** A schema with closed objects, its references leading to where JSON Schema keeps definitions. */
function prepare(schema: object): object {
  const text = JSON.stringify(schema).replaceAll('"#/components/schemas/', '"document#/$defs/');
  return JSON.parse(text, (_, value) =>
    value?.type === "object" && value.properties !== undefined ? { additionalProperties: false, ...value } : value,
  );
}
