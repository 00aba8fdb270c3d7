import type { JsonValue } from "@bufbuild/protobuf";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { AllKindsSchema, MapsSchema, WellKnownSchema } from "../gen/library/v1/all_kinds_pb.js";
import { BookSchema, GetBookRequestSchema, LibraryService } from "../gen/library/v1/library_pb.js";
import { buildService, httpCustom, httpGet, httpPost } from "../testing/build-service.js";
import {
  createDocument,
  type DocumentOptions,
  mapOperationsById,
  requireOperation,
} from "../testing/library-document.js";
import { createSchemaValidator } from "../testing/schema-validator.js";
import type { OpenApiMediaType, OpenApiParameter } from "./openapi-document.js";

const PROTO_NAMES: DocumentOptions = {
  json: { strictTypes: true, fieldNames: "proto", unset: "null", enums: "lower" },
  errors: { shape: "status", domain: "library.example" },
  basePath: "/api",
};

function parametersOf(id: string, options: DocumentOptions = {}): readonly OpenApiParameter[] {
  return requireOperation(createDocument(options), id).parameters.filter((parameter) => "name" in parameter);
}

describe.each([
  ["ProtoJSON", {}],
  ["proto names", PROTO_NAMES],
])("rule 22: a document with %s", (_name, options) => {
  test("passes a public validator", async () => {
    const result = await new Validator().validate(JSON.parse(JSON.stringify(createDocument(options))));
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
  });

  test("has only examples that match their schemas", () => {
    const document = createDocument(options);
    const validate = createSchemaValidator(document);
    const bodies = [...mapOperationsById(document).values()].flatMap(({ requestBody, responses }) => [
      ...Object.values(requestBody?.content ?? {}),
      ...Object.values(responses).flatMap((response) =>
        "content" in response ? Object.values(response.content ?? {}) : [],
      ),
    ]);
    const checked = bodies.flatMap(({ schema, example, examples = {} }: OpenApiMediaType) =>
      [example, ...Object.values(examples).map(({ value }) => value)]
        .filter((value): value is JsonValue => value !== undefined)
        .map((value) => validate(schema, value)),
    );
    expect(checked.length).toBeGreaterThan(100);
    expect(checked.filter((problem) => problem !== undefined)).toEqual([]);
  });
});

describe("rule 22: webhooks", () => {
  const webhooks: DocumentOptions["webhooks"] = {
    bookEvent: {
      ...{ summary: "Book event", description: "Sent when a book changes.", service: LibraryService, body: BookSchema },
      headers: { "webhook-id": { description: "Id of the event.", example: "evt_1" } },
      responses: { "2XX": "The event was accepted.", 410: "Nothing more is sent." },
    },
  };

  test("are requests with the JSON of a response, and pass a public validator", async () => {
    const document = createDocument({ ...PROTO_NAMES, webhooks });
    const { post } = document.webhooks?.bookEvent ?? {};
    expect(post).toMatchObject({
      operationId: "bookEvent",
      tags: ["LibraryService"],
      parameters: [{ name: "webhook-id", in: "header", required: true, example: "evt_1" }],
      responses: { "2XX": { description: "The event was accepted." }, 410: { description: "Nothing more is sent." } },
    });
    expect(post?.requestBody?.content).toEqual({
      "application/json": { schema: { $ref: "#/components/schemas/Book" } },
    });
    expect(await new Validator().validate(JSON.parse(JSON.stringify(document)))).toMatchObject({ valid: true });
  });

  test("name the schema of a message that is otherwise only in requests as if it were in a response", () => {
    const service = buildService("Put", {
      Put: { http: httpPost("/v1/books", "*"), input: BookSchema, output: GetBookRequestSchema },
    });
    const { components } = createDocument({ webhooks }, [service]);
    expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(["Book", "BookInput"]));
  });

  test("need no credential of the API", () => {
    const security = { schemes: { key: { type: "http", scheme: "bearer" } }, scopesOf: () => ["read"] } as const;
    const { webhooks: documented } = createDocument({ webhooks, security });
    expect(documented?.bookEvent?.post.security).toEqual([]);
    expect(createDocument()).not.toHaveProperty("webhooks");
  });
});

describe("rule 22: paths and operations", () => {
  test("lists an operation for every binding, with a path that OpenAPI can express", () => {
    const { paths } = createDocument();
    expect(
      Object.entries(paths).flatMap(([path, { "x-additional-operations": more = {}, ...item }]) =>
        Object.entries({ ...item, ...more }).map(([method, { operationId }]) => `${operationId}: ${method} ${path}`),
      ),
    ).toEqual([
      "listShelves: get /v1/shelves",
      "createShelf: post /v1/shelves",
      "getShelf: get /v1/shelves/{shelvesId}",
      "updateShelf: put /v1/shelves/{shelvesId}",
      "deleteShelf: delete /v1/shelves/{shelvesId}",
      "listBooks: get /v1/shelves/{shelvesId}/books",
      "createBook: post /v1/shelves/{shelvesId}/books",
      "listBooksWithoutParent: get /v1/books",
      "createBookWithoutParent: post /v1/books",
      "searchBooksQuery: QUERY /v1/books",
      "getBook: get /v1/shelves/{shelvesId}/books/{booksId}",
      "updateBook: patch /v1/shelves/{shelvesId}/books/{booksId}",
      "getBookById: get /v1/books/{id}",
      "moveBook: post /v1/shelves/{shelvesId}/books/{booksId}:move",
      "searchBooks: get /v1/books:search",
      "getTitle: get /v1/books/{id}/title",
      "setTitle: put /v1/books/{id}/title",
      "setTags: put /v1/books/{id}/tags",
      "setLabels: put /v1/books/{id}/labels",
      "watchBooks: get /v1/shelves/{shelvesId}/books:watch",
      "getFile: get /v1/files/{path}",
      "putFile: put /v1/files/{path}",
      "getFileVersion: get /v1/files/{path}/versions/{version}",
      "echo: post /v1:echo",
      "downloadFile: get /v1/files/{path}:download",
    ]);
  });

  test("merges paths that differ only in variable names, and keeps the first names", () => {
    const service = buildService("Names", {
      Get: { http: httpGet("/v1/{id}") },
      Drop: { http: { pattern: { case: "delete", value: "/v1/{name}" } } },
    });
    const { paths } = createDocument({}, [service]);
    expect(Object.keys(paths)).toEqual(["/v1/{id}"]);
    expect(paths["/v1/{id}"]?.delete?.parameters[0]).toMatchObject({ name: "id", in: "path" });
  });

  test("expands a rule for any method to the methods without their own rule", () => {
    const service = buildService("Any", {
      Any: { http: httpCustom("*", "/v1/{id}") },
      Get: { http: httpGet("/v1/{id}") },
    });
    const item = createDocument({}, [service]).paths["/v1/{id}"] ?? {};
    expect(Object.keys(item)).toEqual(["put", "post", "delete", "patch", "get"]);
    expect(item.get?.operationId).toBe("get");
  });

  test("adds the service to the ids of methods with the same name", () => {
    const services = ["One", "Two"].map((name) => buildService(name, { Get: { http: httpGet(`/${name}`) } }));
    expect([...mapOperationsById(createDocument({}, services)).keys()]).toEqual(["test_v1_One_get", "test_v1_Two_get"]);
  });

  test("rule 23: lists fields that are sent as headers as parameters, not in the body", () => {
    const inHeader = (id: string) => parametersOf(id).filter((parameter) => parameter.in === "header");
    expect(inHeader("createShelf")).toEqual([
      {
        name: "Idempotency-Key",
        in: "header",
        description: "A unique id of the request, so that it can be retried.",
        schema: { type: "string" },
      },
    ]);
    expect(inHeader("updateShelf").map(({ name }) => name)).toEqual(["If-Match", "X-Patience"]);
    expect(inHeader("getShelf").map(({ name }) => name)).toEqual(["If-None-Match", "If-Match"]);
    const { schemas } = createDocument().components;
    for (const name of ["Shelf", "ShelfInput", "UpdateShelfRequest"]) {
      expect(schemas[name]?.properties, name).toBeDefined();
      expect(schemas[name]?.properties).not.toHaveProperty("etag");
    }
  });

  test("lists the base path as the server, and services as tags with their comments", () => {
    const { servers, tags } = createDocument({ basePath: "/api" });
    expect(servers).toEqual([{ url: "/api" }]);
    expect(createDocument().servers).toEqual([{ url: "/" }]);
    expect(tags).toEqual([
      { name: "LibraryService", "x-displayName": "Library", description: "Manages shelves of books, and files." },
    ]);
  });

  test("names an operation by its method, and describes it by the comment", () => {
    expect(requireOperation(createDocument(), "createBook")).toMatchObject({
      summary: "Create book",
      description:
        "Creates a book: one field is the body, the others come from path and query. The other binding reads all fields from the body.",
      tags: ["LibraryService"],
    });
  });

  test("omits descriptions of methods and fields without the comments of the protos", () => {
    const document = createDocument({ protos: undefined } as never);
    expect(requireOperation(document, "createBook")).toMatchObject({ description: "Create book." });
    expect(document.components.schemas.Book).not.toHaveProperty("description");
  });
});

describe("rule 22: parameters", () => {
  test("describe a variable of one segment with the name, type and example of its field", () => {
    expect(parametersOf("getBookById")[0]).toEqual({
      name: "id",
      in: "path",
      required: true,
      description: "The id of the book.",
      schema: { type: "string" },
    });
    expect(parametersOf("getFileVersion")[1]).toMatchObject({ name: "version", schema: { type: "integer" } });
  });

  test("include one for each wildcard of a variable of several segments", () => {
    expect(parametersOf("getBook").slice(0, 2)).toEqual([
      {
        name: "shelvesId",
        in: "path",
        required: true,
        description: "The name of the book.\n\nPart of `name`, whose pattern is `shelves/{shelvesId}/books/{booksId}`.",
        schema: { type: "string" },
        example: "1",
      },
      expect.objectContaining({ name: "booksId", example: "b1" }),
    ]);
  });

  test("include one for `**`, which is marked as multi-segment", () => {
    expect(parametersOf("getFile")[0]).toMatchObject({ name: "path", "x-multi-segment": true });
    expect(parametersOf("getFile")[0]?.description).toContain("`%2F` is a slash within a segment");
  });

  test.each<[string, DocumentOptions, readonly string[]]>([
    ["JSON names", {}, ["pageSize", "pageToken", "filter.author.fullName", "filter.author.birthYear", "filter.genres"]],
    ["proto names", PROTO_NAMES, ["page_size", "page_token", "filter.author.full_name", "filter.author.birth_year"]],
  ])("of the query have %s, with the path for nested messages", (_name, options, names) => {
    const query = parametersOf("listBooks", options).filter((parameter) => parameter.in === "query");
    expect(query.map(({ name }) => name)).toEqual(expect.arrayContaining([...names]));
  });

  test("of the query have the types of their fields, including lists, and are required if the field is", () => {
    const byName = new Map(parametersOf("listBooks").map((parameter) => [parameter.name, parameter]));
    expect(byName.get("filter.genres")?.schema).toEqual({
      type: "array",
      items: { $ref: "#/components/schemas/Genre" },
    });
    expect(byName.get("filter.publishedAfter")?.schema).toEqual({ type: "string", format: "date-time" });
    expect(byName.get("showCopies")?.schema).toEqual({ type: "boolean" });
    expect(byName.get("pageSize")).not.toHaveProperty("required");
    expect(parametersOf("searchBooks").find(({ name }) => name === "query")).toMatchObject({ required: true });
  });

  test("describe maps as deep objects, and JSON values as content", async () => {
    const service = buildService("Test", {
      Maps: { input: MapsSchema, http: httpGet("/a") },
      Known: { input: WellKnownSchema, http: httpGet("/b") },
    });
    const document = createDocument({ unsupported: "skip" }, [service]);
    const byName = (id: string) =>
      new Map(requireOperation(document, id).parameters.flatMap((each) => ("name" in each ? [[each.name, each]] : [])));
    expect(byName("maps").get("stringValues")).toEqual({
      name: "stringValues",
      in: "query",
      style: "deepObject",
      description: "A map from strings to strings.",
      schema: { type: "object", additionalProperties: { type: "string" } },
    });
    expect(byName("maps").has("choices")).toBe(false);
    expect(byName("known").get("jsonObject")).toEqual({
      name: "jsonObject",
      in: "query",
      description: "A struct.",
      content: { "application/json": { schema: { type: "object", additionalProperties: true } } },
    });
    expect((await new Validator().validate(JSON.parse(JSON.stringify(document)))).errors).toBeUndefined();
  });

  test("list the numbers of enum values with enums: number, and describe each", () => {
    const document = createDocument({ json: { enums: "number" } });
    const parameter = parametersOf("listBooks", { json: { enums: "number" } }).find(
      ({ name }) => name === "filter.genres",
    );
    expect(document.components.schemas.Genre).toMatchObject({ type: "integer", format: "int32", enum: [1, 2, 3] });
    expect(parameter?.description).toContain("- `1`: `GENRE_NOVEL`");
  });

  test("follow the rules outside the protos", () => {
    const rules = { rules: [{ selector: "library.v1.LibraryService.GetShelf", get: "/racks/{name}" }] };
    expect(createDocument({ rules }).paths["/racks/{name}"]?.get?.operationId).toBe("getShelf");
  });

  test("exclude fields that the path or the body binds", () => {
    const queryNames = (id: string) =>
      parametersOf(id).flatMap(({ in: place, name }) => (place === "query" ? name : []));
    expect(queryNames("createBookWithoutParent")).toEqual([]);
    expect(queryNames("createBook")).toEqual(["bookId", "validateOnly"]);
  });

  test("include X-Server-Timeout for every operation, up to the limit of the server", () => {
    const document = createDocument({ maxTimeoutMs: 1500 });
    for (const { parameters } of mapOperationsById(document).values()) {
      expect(parameters).toContainEqual({ $ref: "#/components/parameters/ServerTimeout" });
    }
    const { ServerTimeout } = document.components.parameters;
    expect(ServerTimeout).toMatchObject({ name: "X-Server-Timeout", in: "header", schema: { maximum: 1.5 } });
    expect(createDocument().components.parameters.ServerTimeout?.schema).toEqual({ type: "number", minimum: 0 });
  });
});

describe("rule 22: rules that cannot be described", () => {
  test("are rejected with the problem of the rule", () => {
    const service = buildService("Bad", { Get: { input: BookSchema, http: httpGet("/a") } });
    expect(() => createDocument({}, [service])).toThrow('"copies" (a repeated message)');
  });

  test("do not include recursive messages", () => {
    const put = { input: AllKindsSchema, output: AllKindsSchema, http: httpPost("/a", "*") };
    const service = buildService("Deep", { Put: put });
    const { AllKinds, AllKindsInput } = createDocument({}, [service]).components.schemas;
    expect(AllKinds?.properties?.nestedSelf).toMatchObject({ $ref: "#/components/schemas/AllKinds" });
    expect(AllKindsInput?.properties?.nestedSelf?.anyOf?.[0]).toEqual({ $ref: "#/components/schemas/AllKindsInput" });
  });
});

describe("rule 22: security requirements", () => {
  const schemes = {
    key: { type: "http", scheme: "bearer" },
    login: { type: "openIdConnect", openIdConnectUrl: "https://login.example/.well-known/openid-configuration" },
  } as const;
  const scopesOf = ({ name }: { name: string }) => (name === "GetShelf" ? undefined : ["librarian"]);

  test("list every scheme for each operation", async () => {
    const document = createDocument({ security: { schemes, scopesOf } });
    expect(document.components.securitySchemes).toEqual(schemes);
    expect(document.security).toEqual([]);
    expect(requireOperation(document, "getShelf").security).toBeUndefined();
    expect(requireOperation(document, "createShelf").security).toEqual([
      { key: ["librarian"] },
      { login: ["librarian"] },
    ]);
    expect(await new Validator().validate(JSON.parse(JSON.stringify(document)))).toMatchObject({ valid: true });
  });

  test("are omitted without the option", () => {
    const document = createDocument();
    expect(document).not.toHaveProperty("security");
    expect(document.components).not.toHaveProperty("securitySchemes");
    expect(requireOperation(document, "createShelf")).not.toHaveProperty("security");
  });
});
