import type { DescMessage, DescService, JsonObject } from "@bufbuild/protobuf";
import { FieldDescriptorProto_Label as Label, FieldDescriptorProto_Type as Type } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { HttpBodySchema } from "../gen/google/api/httpbody_pb.js";
import {
  BookSchema,
  CreateBookRequestSchema,
  LibraryService,
  ListShelvesRequestSchema,
  ListShelvesResponseSchema,
  PutFileRequestSchema,
} from "../gen/library/v1/library_pb.js";
import { formatPathTemplate } from "../routing/path-template.js";
import { buildMessages } from "../testing/build-message.js";
import { buildService, httpCustom, httpGet, httpPost, type TestRpc } from "../testing/build-service.js";
import { formatFieldPath } from "./field-path.js";
import type { HttpRule } from "./http-rule.js";
import { readHttpRules, resolveHttpRules } from "./read-http-rules.js";
import { HttpRuleError } from "./rule-problems.js";

describe("reads rules from google.api.http", () => {
  test("returns every binding of every RPC in order", () => {
    expect(readHttpRules([LibraryService]).map(printRule)).toEqual([
      "ListShelves: GET /v1/shelves -> shelves",
      "CreateShelf: POST /v1/shelves <- shelf",
      "GetShelf: GET /v1/{name=shelves/*}",
      "UpdateShelf: PUT /v1/{name=shelves/*} <- *",
      "DeleteShelf: DELETE /v1/{name=shelves/*}",
      "ListBooks: GET /v1/{parent=shelves/*}/books",
      "ListBooks: GET /v1/books",
      "CreateBook: POST /v1/{parent=shelves/*}/books <- book",
      "CreateBook: POST /v1/books <- *",
      "GetBook: GET /v1/{name=shelves/*/books/*}",
      "GetBook: GET /v1/books/{id}",
      "UpdateBook: PATCH /v1/{book.name=shelves/*/books/*} <- book",
      "MoveBook: POST /v1/{name=shelves/*/books/*}:move <- *",
      "SearchBooks: GET /v1/books:search",
      "SearchBooks: QUERY /v1/books <- *",
      "GetTitle: GET /v1/books/{id}/title -> title",
      "SetTitle: PUT /v1/books/{id}/title <- title -> title",
      "SetTags: PUT /v1/books/{id}/tags <- tags -> tags",
      "SetLabels: PUT /v1/books/{id}/labels <- labels -> labels",
      "WatchBooks: GET /v1/{parent=shelves/*}/books:watch",
      "GetFile: GET /v1/files/{path=**}",
      "GetFileVersion: GET /v1/files/{path=**}/versions/{version}",
      "PutFile: PUT /v1/files/{path=**} <- content",
      "Echo: POST /v1:echo <- *",
      "DownloadFile: GET /v1/files/{path=**}:download",
    ]);
  });

  test("resolves path variables to fields, and includes transcoding.v1.http", () => {
    const rules = readHttpRules([LibraryService]);
    const update = rules.find((rule) => rule.rpc.name === "UpdateBook");
    const create = rules.filter((rule) => rule.rpc.name === "CreateBook");
    expect(update?.pathFields.map(formatFieldPath)).toEqual(["book.name"]);
    expect(update?.response).toBeUndefined();
    expect(create.map((rule) => rule.response?.status)).toEqual([201, 201]);
  });

  test.each([
    ["get", "GET"],
    ["put", "PUT"],
    ["post", "POST"],
    ["delete", "DELETE"],
    ["patch", "PATCH"],
  ] as const)("%s is %s", (kind, method) => {
    expect(readRules({ http: { pattern: { case: kind, value: "/a" } } })).toMatchObject([{ method }]);
  });

  test.each([
    ["HEAD", "HEAD"],
    ["query", "QUERY"],
    ["*", "*"],
  ])("reads the custom kind %s as the method %s", (kind, method) => {
    expect(readRules({ http: httpCustom(kind, "/a") })).toMatchObject([{ method }]);
  });

  test("returns no rules for no services", () => {
    expect(readHttpRules([])).toEqual([]);
    expect(readRules({})).toEqual([]);
  });
});

describe("rule 8: rejects a binding", () => {
  test.each<[name: string, rpc: TestRpc, problem: string]>([
    ["no pattern", { http: { body: "*" } }, "the rule has no method and path"],
    ["a kind that is not a method", { http: httpCustom("a b", "/a") }, 'the custom kind "a b" is not an HTTP method'],
    ["no kind", { http: httpCustom("", "/a") }, 'the custom kind "" is not an HTTP method'],
    ["a malformed template", { http: httpGet("/{id") }, 'path template "/{id", column 5: close the variable'],
    ["an unknown path variable", { http: httpGet("/{shelf}") }, 'GetBookRequest has no field "shelf"'],
    ["a JSON name", { http: httpGet("/{readMask}") }, 'GetBookRequest has no field "readMask"'],
    ["a path variable of a message type", { http: httpGet("/{read_mask}") }, '"read_mask" is a message'],
    ["a timestamp as path variable", { input: BookSchema, http: httpPost("/{publish_time}", "*") }, "is a message"],
    ["a wrapper as path variable", { input: BookSchema, http: httpPost("/{rating}", "*") }, "is a message"],
    [
      "repeated messages as path variable",
      { input: BookSchema, http: httpPost("/{copies}", "*") },
      '"copies" is repeated',
    ],
    [
      "a path through a well-known type",
      { http: httpGet("/{read_mask.paths}") },
      '"read_mask" in "read_mask.paths" is a single value in JSON',
    ],
    ["a repeated path variable", { input: BookSchema, http: httpPost("/{tags}", "*") }, '"tags" is repeated'],
    ["a map as path variable", { input: BookSchema, http: httpPost("/{labels}", "*") }, '"labels" is a map'],
    ["an unknown body", { http: httpPost("/a", "shelf") }, 'body "shelf": library.v1.GetBookRequest has no such field'],
    [
      "a nested body",
      { input: CreateBookRequestSchema, http: httpPost("/a", "book.title") },
      "must be a top-level field",
    ],
    [
      "a body that the path binds",
      { http: httpPost("/{id}", "id") },
      'the body field "id" is already bound by the path',
    ],
    [
      "an unknown response_body",
      { http: { ...httpGet("/a"), responseBody: "x" } },
      'response_body "x": library.v1.Book',
    ],
    ["a nested response_body", { http: { ...httpGet("/a"), responseBody: "author.full_name" } }, "top-level field"],
    ["* as response_body", { http: { ...httpGet("/a"), responseBody: "*" } }, 'response_body "*"'],
    ["an error in an additional binding", { http: additional(httpGet("/{x}")) }, 'GetBookRequest has no field "x"'],
    [
      "nested additional_bindings",
      { http: additional({ ...httpGet("/b"), additionalBindings: [httpGet("/c")] }) },
      "of their own",
    ],
    ["repeated messages in the query", { input: BookSchema, http: httpGet("/a") }, '"copies" (a repeated message)'],
    ["a stream of requests", { clientStreaming: true, http: httpPost("/a", "*") }, "stream of requests"],
    ["two streams", { clientStreaming: true, serverStreaming: true, http: httpGet("/a") }, "stream of requests"],
    [
      "a stream of HttpBody without a body",
      { input: HttpBodySchema, clientStreaming: true, http: httpGet("/a") },
      "stream of requests",
    ],
    [
      "a stream with an HttpBody that is not the body",
      { input: PutFileRequestSchema, clientStreaming: true, http: httpPost("/a", "path") },
      "stream of requests",
    ],
    ["a response without a rule", { response: { status: 201 } }, "has no effect without google.api.http"],
  ])("with %s", (_name, rpc, problem) => {
    const problems = readProblems({ Bad: rpc });
    expect(problems).toContainEqual(expect.stringContaining(problem));
    expect(problems.filter((problem) => !problem.startsWith("test.v1.Test.Bad: "))).toEqual([]);
  });

  test.each<[name: string, rpc: TestRpc]>([
    ["a map as body", { input: BookSchema, http: httpPost("/{id}", "*") }],
    [
      "a path variable within the field that is the body",
      { input: CreateBookRequestSchema, http: httpPost("/{book.id}", "book") },
    ],
    ["an enum as path variable", { input: BookSchema, http: httpPost("/{genre}", "*") }],
    ["scalars as path variables", { input: BookSchema, http: httpPost("/{title}/{isbn}/{page_count}/{reader}", "*") }],
    ["a nested scalar as path variable", { input: BookSchema, http: httpPost("/{author.birth_year}", "*") }],
    ["any response_body", { http: { ...httpGet("/a"), responseBody: "labels" } }],
    ["a stream of requests without a rule", { clientStreaming: true }],
    ["a stream of HttpBody", { input: HttpBodySchema, clientStreaming: true, http: httpPost("/a", "*") }],
    [
      "a stream that carries an HttpBody",
      {
        input: PutFileRequestSchema,
        clientStreaming: true,
        http: httpPost("/a", "content"),
        response: { location: "/{id}" },
      },
    ],
    [
      "two streams of HttpBody",
      { input: HttpBodySchema, clientStreaming: true, serverStreaming: true, http: httpPost("/a", "*") },
    ],
    ["a stream of responses", { serverStreaming: true, http: httpGet("/a"), response: { status: 206 } }],
    ["an additional binding", { http: additional(httpGet("/b")) }],
    ["a recursive message in the query", { input: NODE, http: httpGet("/a") }],
  ])("but accepts %s", (_name, rpc) => {
    expect(() => readRules(rpc)).not.toThrow();
  });
});

describe("rule 8: rejects a duplicate method and shape", () => {
  test("of two RPCs, within a service and across services", () => {
    const one = buildService("One", { GetA: { http: httpGet("/v1/{id}") }, GetB: { http: httpGet("/v1/{name}") } });
    const two = buildService("Two", { GetC: { http: additional(httpGet("/v1/*")) } });
    expect(problemsOf(() => readHttpRules([one, two]))).toEqual([
      "test.v1.One.GetA and test.v1.One.GetB: both have the method and path GET /v1/*; change one of the paths",
      "test.v1.One.GetA and test.v1.Two.GetC: both have the method and path GET /v1/*; change one of the paths",
    ]);
  });

  test("of two bindings of one RPC", () => {
    expect(readProblems({ Twice: { http: additional(httpGet("/a")) } })).toEqual([
      "test.v1.Test.Twice and test.v1.Test.Twice: both have the method and path GET /a; change one of the paths",
    ]);
  });

  test("but accepts another method or verb", () => {
    const rpcs = {
      A: { http: httpGet("/a") },
      B: { http: httpPost("/a", "*") },
      C: { http: httpGet("/a:b") },
      D: { http: httpCustom("*", "/a") },
    };
    expect(readHttpRules([buildService("Test", rpcs)])).toHaveLength(4);
  });
});

describe("unsupported: skip", () => {
  const skip = (...services: readonly DescService[]) => {
    const { rules, skipped } = resolveHttpRules(services, { unsupported: "skip" });
    return { rules: rules.map(printRule), skipped };
  };

  test("serves the valid rules, and lists every problem that is an error by default", () => {
    const service = buildService("Test", {
      Upload: { clientStreaming: true, http: httpPost("/upload", "*") },
      Good: { http: additional(httpGet("/{nothing}")) },
      Bad: { http: httpGet("//") },
      Header: { http: httpGet("/header"), response: { status: 404 } },
      Same: { http: additional(httpGet("/same")) },
    });
    const { rules, skipped } = skip(service);
    expect(rules).toEqual(["Good: GET /a", "Same: GET /same"]);
    expect(skipped).toEqual([
      expect.stringMatching(/^test\.v1\.Test\.Upload: .*stream of requests/),
      expect.stringMatching(/^test\.v1\.Test\.Good: .*nothing/),
      expect.stringMatching(/^test\.v1\.Test\.Bad: .*path template/),
      expect.stringMatching(/^test\.v1\.Test\.Header: status 404/),
      "test.v1.Test.Good and test.v1.Test.Same: both have the method and path GET /a; change one of the paths",
    ]);
    expect(problemsOf(() => readHttpRules([service]))).toEqual(skipped);
  });

  test("serves a binding without the fields that query parameters cannot hold", () => {
    const input = BookSchema;
    const service = buildService("Test", {
      Get: { input, http: { ...httpGet("/a"), additionalBindings: [httpGet("/b")] } },
    });
    const { rules, skipped } = skip(service);
    expect(rules).toEqual(["Get: GET /a", "Get: GET /b"]);
    expect(skipped).toEqual(
      ["/a", "/b"].map(
        (path) =>
          `test.v1.Test.Get: GET ${path}: query parameters cannot hold "copies" (a repeated message); bind it with "body"`,
      ),
    );
  });

  test("serves the first of several RPCs with the same method and shape", () => {
    const one = buildService("One", { GetA: { http: httpGet("/v1/{id}") }, GetB: { http: httpGet("/v1/{name}") } });
    const two = buildService("Two", { GetC: { http: additional(httpGet("/v1/*")) } });
    expect(skip(one, two).rules).toEqual(["GetA: GET /v1/{id}", "GetC: GET /a"]);
  });

  test("lists nothing if all rules can be served", () => {
    expect(skip(LibraryService).skipped).toEqual([]);
  });
});

test("rule 8: lists every problem once", () => {
  const bindings = ["/b", "/c", "/d"].map((path) => ({ ...httpGet(path), body: "nothing" }));
  const http = { ...httpGet("/a"), body: "nothing", additionalBindings: bindings };
  expect(readProblems({ Get: { http } })).toEqual([
    'test.v1.Test.Get: body "nothing": library.v1.GetBookRequest has no such field',
  ]);
});

describe("rules outside the protos", () => {
  const service = buildService("Test", { Annotated: { http: additional(httpGet("/b")) }, Plain: {} });
  const read = (...rules: JsonObject[]) => readHttpRules([service], { rules: { rules } }).map(printRule);

  test("are added to RPCs without a rule", () => {
    const rule = {
      selector: "test.v1.Test.Plain",
      post: "/plain/{id}",
      body: "*",
      additional_bindings: [{ get: "/c" }],
    };
    expect(read(rule)).toEqual([
      "Annotated: GET /a",
      "Annotated: GET /b",
      "Plain: POST /plain/{id} <- *",
      "Plain: GET /c",
    ]);
  });

  test("replace the annotation; the last rule of a selector wins", () => {
    const selector = "test.v1.Test.Annotated";
    expect(read({ selector, get: "/c" }, { selector, delete: "/d" })).toEqual(["Annotated: DELETE /d"]);
  });

  test.each<[JsonObject, string]>([
    [{ selector: "test.v1.Test.Nothing", get: "/a" }, 'rules: selector "test.v1.Test.Nothing" matches no RPC'],
    [{ selector: "test.v1.Test.*", get: "/a" }, 'rules: selector "test.v1.Test.*" matches no RPC'],
    [{ get: "/a" }, 'rules: selector "" matches no RPC'],
    [{ selector: "test.v1.Test.Plain", get: "a" }, 'test.v1.Test.Plain: path template "a"'],
  ])("are rejected like annotations: %j", (rule, problem) => {
    expect(problemsOf(() => read(rule))).toEqual([expect.stringContaining(problem)]);
  });

  test("are rejected if they are not a google.api.Http", () => {
    expect(() => readHttpRules([service], { rules: { rule: [] } })).toThrow(
      'rules must be the http section of a service configuration, as in {"rules": [{"selector": "library.v1.Library.GetBook", "get": "/v1/books/{id}"}]}',
    );
  });
});

describe("rule 18: transcoding.v1.http", () => {
  test.each<[name: string, response: NonNullable<TestRpc["response"]>, problem: string]>([
    ["status 199", { status: 199 }, "status 199 is not a success status"],
    ["status 300", { status: 300 }, "status 300 is not a success status"],
    ["status -1", { status: -1 }, "status -1 is not a success status"],
    ["a failure without a code", { failures: [{ reason: "GONE" }] }, 'failure "GONE" has no error code'],
    ["a malformed location", { location: "v1" }, 'path template "v1", column 1'],
    ["a location of an unknown field", { location: "/v1/{nothing}" }, 'Response has no field "nothing"'],
    ["a location of a repeated field", { location: "/v1/{shelves}" }, '"shelves" is repeated'],
    ["a location with a bare wildcard", { location: "/v1/*/{total_size}" }, "wildcard outside a variable"],
    ["a header of an unknown field", { headers: [{ name: "X", field: "nothing" }] }, 'no field "nothing"'],
    ["a header of a repeated field", { headers: [{ name: "X", field: "shelves" }] }, '"shelves" is repeated'],
    ["a failure with a success status", { failures: [{ code: 5, reason: "R", status: 200 }] }, "not an error status"],
    [
      "an invalid header name",
      { headers: [{ name: "X Y", field: "total_size" }] },
      'header "X Y" is not a valid header name',
    ],
    ["a link of an unknown field", { links: [link({ field: "nothing" })] }, 'no field "nothing"'],
    [
      "a link to an unknown parameter",
      { links: [link({ parameter: "page" })] },
      'link parameter "page" is not a query',
    ],
    ["a link without a relation", { links: [link({ rel: "" })] }, 'link relation "" is not a relation type'],
  ])("rejects %s", (_name, response, problem) => {
    expect(readProblems({ List: { ...LIST, response } })).toEqual([expect.stringContaining(problem)]);
  });

  test.each<[name: string, response: NonNullable<TestRpc["response"]>]>([
    ["status 200", { status: 200 }],
    ["status 299", { status: 299 }],
    ["no status", {}],
    ["a location", { location: "/v1/{total_size}/{next_page_token=a/*}:go" }],
    ["a header", { headers: [{ name: "X-Total-Size", field: "total_size" }] }],
    ["a link", { links: [link({})] }],
    ["a link by the JSON name", { links: [link({ parameter: "pageToken" })] }],
  ])("accepts %s", (_name, response) => {
    expect(() => readRules({ ...LIST, response })).not.toThrow();
  });

  test("rejects a link for a rule without query parameters", () => {
    const rpc = { ...LIST, http: httpPost("/a", "*"), response: { links: [link({})] } };
    expect(readProblems({ List: rpc })).toEqual([
      'test.v1.Test.List: link parameter "page_token" is not a query parameter of POST /a; name a query parameter',
    ]);
  });

  test.each<[string, boolean, object, string[]]>([
    [
      "of a method without a stream",
      false,
      {},
      ["event_stream is allowed only for methods that return a stream; remove it"],
    ],
    ["with an unknown field", true, { id: "nothing" }, [expect.stringContaining('has no field "nothing"')]],
    ["with a message", true, { name: "author" }, [expect.stringContaining('"author" is a message')]],
  ])("checks server-sent events %s", (_, serverStreaming, eventStream, expected) => {
    const problems = readProblems({ Follow: { http: httpGet("/a"), serverStreaming, response: { eventStream } } });
    expect(problems.map((problem) => problem.replace("test.v1.Test.Follow: ", ""))).toEqual(expected);
  });

  test.each([{ location: "/a" }, { headers: [{ name: "X", field: "total_size" }] }, { links: [link({})] }])(
    "rejects %j for a stream",
    (response) => {
      const problems = readProblems({ List: { ...LIST, serverStreaming: true, response } });
      expect(problems).toEqual([
        expect.stringContaining("a method that returns a stream cannot have a location, headers or links"),
      ]);
    },
  );
});

test("rule 8: lists the problems of all RPCs in one error", () => {
  const rpcs = {
    First: { http: { ...httpGet("/{x}"), responseBody: "y" }, response: { status: 404 } },
    Second: { http: httpGet("//") },
    Third: { http: httpGet("/fine") },
    Fourth: { http: httpGet("/fine") },
  };
  const problems = readProblems(rpcs);
  expect(problems.map((problem) => problem.split(":")[0])).toEqual([
    "test.v1.Test.First",
    "test.v1.Test.First",
    "test.v1.Test.First",
    "test.v1.Test.Second",
    "test.v1.Test.Third and test.v1.Test.Fourth",
  ]);
  const message = ["correct the HTTP rules:", ...problems].join("\n  ");
  expect(() => readHttpRules([buildService("Test", rpcs)])).toThrow(expect.objectContaining({ message }));
});

const [NODE] = buildMessages({
  Node: [
    { name: "name", type: Type.STRING, label: Label.OPTIONAL },
    { name: "next", type: Type.MESSAGE, typeName: ".test.Node", label: Label.OPTIONAL },
  ],
}) as [DescMessage];

type Binding = NonNullable<TestRpc["http"]>;

const LIST = {
  input: ListShelvesRequestSchema satisfies DescMessage,
  output: ListShelvesResponseSchema satisfies DescMessage,
  http: httpGet("/a"),
};

function additional(binding: Binding): Binding {
  return { ...httpGet("/a"), additionalBindings: [binding] };
}

function link(change: { readonly rel?: string; readonly parameter?: string; readonly field?: string }) {
  return { rel: "next", parameter: "page_token", field: "next_page_token", ...change };
}

function printRule({ rpc, method, template, body, responseBody }: HttpRule): string {
  const parts = [`${rpc.name}: ${method} ${formatPathTemplate(template)}`];
  if (body.kind !== "none") parts.push(`<- ${body.kind === "field" ? body.field.name : "*"}`);
  if (responseBody !== undefined) parts.push(`-> ${responseBody.name}`);
  return parts.join(" ");
}

function readRules(rpc: TestRpc): readonly HttpRule[] {
  return readHttpRules([buildService("Test", { Call: rpc })]);
}

function readProblems(rpcs: Readonly<Record<string, TestRpc>>): readonly string[] {
  return problemsOf(() => readHttpRules([buildService("Test", rpcs)]));
}

function problemsOf(run: () => unknown): readonly string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof HttpRuleError) return error.problems;
    throw error;
  }
  throw new Error("no HttpRuleError was thrown");
}
