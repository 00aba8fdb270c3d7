import { describe, expect, test } from "vitest";
import { HttpBodySchema } from "../gen/google/api/httpbody_pb.js";
import { BookSchema } from "../gen/library/v1/library_pb.js";
import { buildService } from "../testing/build-service.js";
import { createDocument, type DocumentOptions, requireOperation } from "../testing/library-document.js";
import type { OpenApiRequestBody } from "./openapi-document.js";
import type { Schema } from "./schema.js";

function bodyOf(id: string, options: DocumentOptions = {}): OpenApiRequestBody | undefined {
  return requireOperation(createDocument(options), id).requestBody;
}

/** The schema of an operation's JSON body, a reference followed. */
function schemaOf(id: string, options: DocumentOptions = {}): Schema {
  const { $ref, ...schema } = bodyOf(id, options)?.content["application/json"]?.schema ?? {};
  return $ref === undefined
    ? schema
    : (createDocument(options).components.schemas[$ref.replace("#/components/schemas/", "")] ?? {});
}

describe("rule 22: request bodies", () => {
  test("there is none without a binding", () => {
    expect(bodyOf("listShelves")).toBeUndefined();
  });

  test('body: "*" is the message without what the path binds', () => {
    expect(Object.keys(schemaOf("moveBook").properties ?? {})).toEqual(["otherShelf"]);
    expect(Object.keys(schemaOf("searchBooks_2").properties ?? {})).toEqual(["query", "filter"]);
  });

  test("a field that is the body lacks what the path binds within it", () => {
    expect(schemaOf("updateBook").properties).not.toHaveProperty("name");
    expect(schemaOf("createBook").properties).toHaveProperty("name");
  });

  test.each<[id: string, schema: Schema]>([
    ["setTitle", { type: "string" }],
    ["setTags", { type: "array", items: { type: "string" } }],
    ["setLabels", { type: "object", additionalProperties: { type: "string" } }],
  ])("%s: a field of any kind is the body", (id, schema) => {
    expect(schemaOf(id)).toEqual(schema);
  });

  test.each(["putFile", "echo"])("%s: an HttpBody is anything", (id) => {
    expect(bodyOf(id)).toEqual({ required: false, content: { "*/*": { schema: {} } } });
  });

  test("it is required where one of its fields is, for no body counts as an empty object", () => {
    expect(bodyOf("moveBook")).toMatchObject({ required: true });
    expect(bodyOf("updateShelf")).toMatchObject({ required: false });
    expect(bodyOf("createBook")).toMatchObject({ required: true, description: "The book." });
    expect(bodyOf("setTags")).toMatchObject({ required: false });
  });

  test("fields that google.api.field_behavior requires are required, those of output only are read-only", () => {
    expect(schemaOf("createBook")).toMatchObject({ required: ["title"], properties: { id: { readOnly: true } } });
  });

  test("unknown fields are closed out, unless they are ignored", () => {
    expect(schemaOf("createBook")).toMatchObject({ additionalProperties: false });
    expect(schemaOf("createBook", { json: { unknownFields: "ignore" } })).not.toHaveProperty("additionalProperties");
  });

  test("null stands for absence, but where it is refused or the field is required", () => {
    expect(schemaOf("createBook").properties).toMatchObject({
      title: { type: "string" },
      pageCount: { type: ["integer", "null"] },
      author: { anyOf: [{ $ref: "#/components/schemas/AuthorInput" }, { type: "null" }] },
      genre: { type: ["string", "null"], enum: expect.arrayContaining([null]) },
    });
    expect(schemaOf("updateShelf").properties).toMatchObject({
      theme: { type: "string" },
      capacity: { type: "integer" },
    });
  });

  test("the example has what the proto gives one for, and what is required", () => {
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

test("rule 22: an upload of HttpBody is any content, of any size", () => {
  const service = buildService("Files", {
    Upload: {
      input: HttpBodySchema,
      output: BookSchema,
      clientStreaming: true,
      http: { pattern: { case: "post", value: "/upload" }, body: "*" },
    },
  });
  const { requestBody, responses } = requireOperation(createDocument({}, [service]), "upload");
  expect(requestBody?.content).toEqual({ "*/*": { schema: {} } });
  expect(Object.keys(responses)).toEqual(expect.arrayContaining(["200", "415"]));
  expect(responses).not.toHaveProperty("413");
});
