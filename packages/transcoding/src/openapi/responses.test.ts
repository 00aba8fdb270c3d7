import type { DescMessage } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { ListsSchema, MapsSchema, OptionalScalarsSchema, ScalarsSchema } from "../gen/library/v1/all_kinds_pb.js";
import { ShelfSchema } from "../gen/library/v1/library_pb.js";
import { buildService, httpGet, httpPost } from "../testing/build-service.js";
import {
  createDocument,
  type DocumentOptions,
  mapOperationsById,
  requireOperation,
} from "../testing/library-document.js";
import type { OpenApiDocument, OpenApiResponse } from "./openapi-document.js";

function responseOf(document: OpenApiDocument, id: string, status: number): OpenApiResponse {
  const response = requireOperation(document, id).responses[status];
  if (response === undefined) throw new Error(`${id} has no response ${status}`);
  return "$ref" in response
    ? (document.components.responses[response.$ref.replace("#/components/responses/", "")] as OpenApiResponse)
    : response;
}

function successOf(id: string, status = 200, options: DocumentOptions = {}): OpenApiResponse {
  return responseOf(createDocument(options), id, status);
}

describe("rule 22: success", () => {
  test("describes the Location of a 201, with the base path and an example", () => {
    expect(successOf("createShelf", 201, { basePath: "/api" }).headers).toEqual({
      Location: {
        description: "URL of the resource: `/api/v1/{name=shelves/*}`.",
        schema: { type: "string", format: "uri-reference" },
        example: "/api/v1/shelves/1",
      },
      ETag: {
        description: "The version of the shelf, which changes with every update.",
        schema: { type: "string" },
        example: '"s1"',
      },
    });
    expect(successOf("createBook", 201).headers?.Location?.example).toBe("/v1/books/b1");
  });

  test("describes no body for a 204", () => {
    expect(successOf("deleteShelf", 204)).toEqual({ description: "The request succeeded. The response has no body." });
  });

  test("describes fields and links that are sent as headers", () => {
    expect(successOf("listShelves").headers).toEqual({
      "X-Next-Page-Token": {
        description: "The token of the next page. The last page has none.",
        schema: { type: "string" },
      },
      "X-Total-Size": {
        description: "The total number of shelves.",
        schema: expect.objectContaining({ type: "integer" }),
      },
      Link: {
        description: 'RFC 8288: `rel="next"`, the request target with a different `page_token`.',
        schema: { type: "string" },
      },
    });
  });

  test("rule 23: describes 304 and 412 for a resource with an ETag", () => {
    expect(successOf("getShelf", 304)).toEqual({
      description: "`If-None-Match` contains the current ETag. The response has no body.",
      headers: { ETag: expect.anything() },
    });
    expect(successOf("getShelf", 412).content?.["application/json"]?.examples).toHaveProperty("ETAG_MISMATCH");
    for (const id of ["updateShelf", "getTitle", "listShelves"]) {
      expect(requireOperation(createDocument(), id).responses).not.toHaveProperty("304");
    }
  });

  test("rule 20: lists a failure under its declared status", () => {
    const { examples } = successOf("updateShelf", 412).content?.["application/json"] ?? {};
    expect(examples?.SHELF_CHANGED?.value).toMatchObject({ error: { code: 412, status: "ABORTED" } });
  });

  test("describes a response_body of a repeated field as a bare array", () => {
    expect(successOf("listShelves")).toMatchObject({
      description: "The shelves.",
      content: { "application/json": { schema: { type: "array", items: { $ref: "#/components/schemas/Shelf" } } } },
    });
  });

  test("describes a response_body of a scalar or a map", () => {
    expect(successOf("getTitle").content).toEqual({
      "application/json": { schema: { type: "string" }, example: "Momo" },
    });
    expect(successOf("setLabels").content?.["application/json"]?.schema).toMatchObject({ type: "object" });
  });

  test.each(["getFile", "downloadFile"])("describes an HttpBody as any content: %s", (id) => {
    expect(successOf(id).content).toEqual({ "*/*": { schema: {} } });
  });

  test("describes a stream as array, lines or events whose last item can be an error", () => {
    const { content = {} } = successOf("watchBooks");
    expect(Object.keys(content)).toEqual(["application/json", "application/x-ndjson", "text/event-stream"]);
    expect(content["application/json"]?.schema).toEqual({
      type: "array",
      items: { anyOf: [{ $ref: "#/components/schemas/Book" }, { $ref: "#/components/schemas/ErrorResponse" }] },
    });
    const status = createDocument({ errors: { shape: "status" } });
    expect(responseOf(status, "watchBooks", 200).content?.["application/json"]?.schema.items?.anyOf?.[1]).toEqual({
      $ref: "#/components/schemas/ErrorRecord",
    });
  });

  test.each([
    [false, ["ETag"]],
    [true, undefined],
  ])("describes the header of a message's field, but not for a stream: streaming %s", (serverStreaming, names) => {
    const service = buildService("Test", { Get: { output: ShelfSchema, serverStreaming, http: httpGet("/a") } });
    const { headers } = responseOf(createDocument({}, [service]), "get", 200);
    expect(headers && Object.keys(headers)).toEqual(names);
  });

  const ANY_BINDING = { $ref: "#/components/schemas/Binding" };

  test.each<[body: string, output: DescMessage, schema: unknown]>([
    ["binding", ScalarsSchema, ANY_BINDING],
    ["binding", OptionalScalarsSchema, { anyOf: [ANY_BINDING, { type: "null" }] }],
    ["bindings", ListsSchema, { type: "array", items: ANY_BINDING }],
    ["bindings", MapsSchema, expect.objectContaining({ additionalProperties: ANY_BINDING })],
  ])("lists the zero value of an enum that is the whole body: %s of %s", (responseBody, output, schema) => {
    const service = buildService("Test", { Read: { output, http: { ...httpGet("/a"), responseBody } } });
    const document = createDocument({}, [service]);
    expect(responseOf(document, "read", 200).content?.["application/json"]?.schema).toEqual(schema);
    expect(document.components.schemas.Binding?.enum).toContain("BINDING_UNSPECIFIED");
  });

  test("names the component of each enum after it, and adds a suffix where a field has other values", () => {
    const rpcs = {
      Echo: { input: ListsSchema, output: ScalarsSchema, http: httpPost("/a", "*") },
      List: { output: ListsSchema, http: httpGet("/b") },
    };
    const { schemas } = createDocument({ json: { enums: "lower" } }, [buildService("Test", rpcs)]).components;
    expect(schemas.Scalars?.properties?.binding?.$ref).toBe("#/components/schemas/Binding");
    expect(schemas.Binding?.enum).toEqual(["hardcover", "paperback", "lost"]);
    expect(schemas.Lists?.properties?.bindings?.items?.$ref).toBe("#/components/schemas/BindingOrUnspecified");
    expect(schemas.BindingOrUnspecified?.enum).toEqual(["unspecified", "hardcover", "paperback", "lost"]);
    expect(schemas.ListsInput?.properties?.bindings?.items?.$ref).toBe("#/components/schemas/BindingInput");
    expect(schemas.BindingInput?.enum).toEqual(["hardcover", "paperback", "softcover", "lost"]);
  });

  test("requires every field with unset: null, and allows null only for fields with presence", () => {
    const { Book } = createDocument({ json: { unset: "null", fieldNames: "proto" } }).components.schemas;
    expect(Book?.required).toEqual(
      "id name title author genre page_count isbn tags labels publish_time rating etag copies".split(" "),
    );
    expect(Book?.properties).toMatchObject({
      title: { type: "string" },
      page_count: { type: ["integer", "null"] },
      rating: { type: ["number", "null"] },
      publish_time: { type: ["string", "null"] },
      tags: { type: "array" },
      reader: { type: "string" },
      genre: { $ref: "#/components/schemas/GenreOrUnspecified" },
    });
  });

  test("requires no field by default, and omits the unspecified enum value", () => {
    const { Book, Genre } = createDocument({ json: { enums: "lower" } }).components.schemas;
    expect(Book).not.toHaveProperty("required");
    expect(Genre).toMatchObject({ type: "string", enum: ["novel", "poetry", "reference"] });
    expect(Book?.properties?.genre).toMatchObject({
      $ref: "#/components/schemas/Genre",
      description: "The genre of a book.\n\n- `novel`: A novel.\n- `poetry`: Poems.\n- `reference`: A reference book.",
    });
    expect(Book?.properties?.reader?.description).toBe(
      "The reader who borrowed the book.\n\nAt most one of `reader`, `dueTime` can be set.",
    );
  });
});

describe("rule 22: errors", () => {
  const ANY = ["400", "500", "504"];

  test.each<[id: string, statuses: readonly string[]]>([
    ["getBook", ["200", ...ANY]],
    ["createBook", ["201", "400", "413", "415", "500", "504"]],
    ["createShelf", ["201", "400", "409", "413", "415", "500", "504"]],
    ["watchBooks", ["200", "400", "406", "500", "504"]],
    ["putFile", ["200", "400", "413", "415", "500", "504"]],
    ["downloadFile", ["200", ...ANY]],
  ])("list every status of %s", (id, statuses) => {
    expect(Object.keys(requireOperation(createDocument(), id).responses)).toEqual(statuses);
  });

  test("share one schema", () => {
    const document = createDocument();
    for (const { operationId, responses } of mapOperationsById(document).values()) {
      for (const status of Object.keys(responses).filter((each) => Number(each) >= 400)) {
        const { content } = responseOf(document, operationId, Number(status));
        expect(content).toEqual({
          "application/json": { schema: { $ref: "#/components/schemas/ErrorResponse" }, examples: expect.any(Object) },
        });
      }
    }
  });

  test("list the method's failures and those of the library, each with an example", () => {
    const response = responseOf(createDocument({ errors: { domain: "library.example" } }), "createShelf", 400);
    expect(response.description.split("\n")).toEqual([
      "- `FIELD_INVALID`: the request has invalid fields, and the details list every violation.",
      "- `BODY_MALFORMED`: the body is not JSON in UTF-8.",
      "- `HEADER_MALFORMED`: `X-Server-Timeout` is not a number of seconds.",
      "- `ROOM_FULL`: there is no room for another shelf.",
    ]);
    expect(response.content?.["application/json"]?.examples?.ROOM_FULL?.value).toEqual({
      error: {
        code: 400,
        status: "FAILED_PRECONDITION",
        message: "there is no room for another shelf",
        details: [
          { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "ROOM_FULL", domain: "library.example" },
        ],
      },
    });
  });

  test("have the shape of the option errors.shape", () => {
    expect(createDocument().components.schemas.ErrorResponse?.properties).toHaveProperty("error");
    const bare = createDocument({ errors: { shape: "status" } });
    expect(bare.components.schemas.ErrorResponse?.required).toEqual(["code", "message", "details"]);
    expect(responseOf(bare, "createShelf", 409).content?.["application/json"]?.examples).toMatchObject({
      SHELF_ALREADY_EXISTS: { value: { code: 6, message: "a shelf has the id" } },
    });
  });

  test("name the server's limit of the body size", () => {
    const { description } = responseOf(createDocument({ readMaxBytes: 100 }), "createShelf", 413);
    expect(description).toBe("`BODY_TOO_LARGE`: the body has more than 100 bytes.");
  });

  test("define the failures of all methods once, with the given descriptions", () => {
    const document = createDocument({
      failures: () => [
        { code: 14, reason: "UNAVAILABLE", description: "the library is closed" },
        { code: 13, reason: "INTERNAL", description: "a shelf fell down" },
      ],
    });
    expect(requireOperation(document, "getBook").responses[503]).toEqual({
      $ref: "#/components/responses/Unavailable",
    });
    expect(responseOf(document, "getBook", 500).description).toBe("`INTERNAL`: a shelf fell down.");
  });

  test("list the failures of some methods only for those methods", () => {
    const failure = { code: 7, reason: "NO_LIBRARIAN", description: "only librarians do that" };
    const document = createDocument({ failures: ({ name }) => (name === "CreateShelf" ? [failure] : []) });
    expect(responseOf(document, "createShelf", 403).description).toBe("`NO_LIBRARIAN`: only librarians do that.");
    expect(requireOperation(document, "getBook").responses).not.toHaveProperty("403");
  });
});
