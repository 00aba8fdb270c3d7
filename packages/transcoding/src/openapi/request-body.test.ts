import { describe, expect, test } from "vitest";
import { HttpBodySchema } from "../gen/google/api/httpbody_pb.js";
import { BookSchema } from "../gen/library/v1/library_pb.js";
import { buildService, httpPost } from "../testing/build-service.js";
import { createDocument, type DocumentOptions, requireOperation } from "../testing/library-document.js";
import type { OpenApiRequestBody } from "./openapi-document.js";
import type { Schema } from "./schema.js";

function bodyOf(id: string, options: DocumentOptions = {}): OpenApiRequestBody | undefined {
  return requireOperation(createDocument(options), id).requestBody;
}

/** Returns the schema of an operation's JSON body. If it is a reference, returns the schema that it refers to. */
function schemaOf(id: string, options: DocumentOptions = {}): Schema {
  const { $ref, ...schema } = bodyOf(id, options)?.content["application/json"]?.schema ?? {};
  return $ref === undefined
    ? schema
    : (createDocument(options).components.schemas[$ref.replace("#/components/schemas/", "")] ?? {});
}

describe("rule 22: request bodies", () => {
  test("are absent without a binding", () => {
    expect(bodyOf("listShelves")).toBeUndefined();
  });

  test('with body: "*" have the fields that the path does not bind', () => {
    expect(Object.keys(schemaOf("moveBook").properties ?? {})).toEqual(["otherShelf"]);
    expect(Object.keys(schemaOf("searchBooksQuery").properties ?? {})).toEqual(["query", "filter"]);
  });

  test("that are a field exclude its fields that the path binds", () => {
    expect(schemaOf("updateBook").properties).not.toHaveProperty("name");
    expect(schemaOf("createBook").properties).toHaveProperty("name");
  });

  test.each<[id: string, schema: Schema]>([
    ["setTitle", { type: "string" }],
    ["setTags", { type: "array", items: { type: "string" } }],
    ["setLabels", { type: "object", additionalProperties: { type: "string" } }],
  ])("of %s are a field of any kind", (id, schema) => {
    expect(schemaOf(id)).toEqual(schema);
  });

  test.each(["putFile", "echo"])("of %s, an HttpBody, are of any type", (id) => {
    expect(bodyOf(id)).toEqual({ required: false, content: { "*/*": { schema: {} } } });
  });

  test("are required if a field is, because a missing body counts as an empty object", () => {
    expect(bodyOf("moveBook")).toMatchObject({ required: true });
    expect(bodyOf("updateShelf")).toMatchObject({ required: false });
    expect(bodyOf("createBook")).toMatchObject({ required: true, description: "The book." });
    expect(bodyOf("setTags")).toMatchObject({ required: false });
  });

  test("have required and read-only fields as google.api.field_behavior says", () => {
    expect(schemaOf("createBook")).toMatchObject({ required: ["title"], properties: { id: { readOnly: true } } });
  });

  test("exclude unknown fields unless the server ignores them", () => {
    expect(schemaOf("createBook")).toMatchObject({ additionalProperties: false });
    expect(schemaOf("createBook", { json: { unknownFields: "ignore" } })).not.toHaveProperty("additionalProperties");
  });

  test("allow null for optional fields unless the method rejects it", () => {
    expect(schemaOf("createBook").properties).toMatchObject({
      title: { type: "string" },
      pageCount: { type: ["integer", "null"] },
      author: { anyOf: [{ $ref: "#/components/schemas/AuthorInput" }, { type: "null" }] },
      genre: { anyOf: [{ $ref: "#/components/schemas/Genre" }, { type: "null" }] },
    });
    expect(schemaOf("updateShelf").properties).toMatchObject({
      theme: { type: "string" },
      capacity: { type: "integer" },
    });
  });

  test("have an example with required fields and those with an example in the proto", () => {
    expect(bodyOf("moveBook")?.content["application/json"]?.example).toEqual({ otherShelf: "other_shelf" });
    expect(bodyOf("createBook")?.content["application/json"]?.example).toEqual({
      id: "b1",
      name: "shelves/1/books/b1",
      title: "Momo",
      author: { fullName: "Michael Ende" },
      genre: "GENRE_NOVEL",
      pageCount: 304,
      isbn: "9783522202600",
      tags: ["children"],
      labels: { key: "blue" },
      publishTime: "1973-01-01T00:00:00Z",
      rating: 4.5,
    });
  });
});

test("rule 22: describes an upload of HttpBody as any content of any size", () => {
  const service = buildService("Files", {
    Upload: { input: HttpBodySchema, output: BookSchema, clientStreaming: true, http: httpPost("/upload", "*") },
  });
  const { requestBody, responses } = requireOperation(createDocument({}, [service]), "upload");
  expect(requestBody?.content).toEqual({ "*/*": { schema: {} } });
  expect(Object.keys(responses)).toEqual(expect.arrayContaining(["200", "415"]));
  expect(responses).not.toHaveProperty("413");
});
