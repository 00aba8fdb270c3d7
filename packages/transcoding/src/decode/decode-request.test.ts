import { create, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { HttpBodySchema } from "../gen/google/api/httpbody_pb.js";
import { AllKindsSchema, ScalarsSchema, WellKnownSchema } from "../gen/library/v1/all_kinds_pb.js";
import {
  BookSchema,
  CreateBookRequestSchema,
  CreateShelfRequestSchema,
  type GetBookRequest,
  GetBookRequestSchema,
  PutFileRequestSchema,
  SetLabelsRequestSchema,
  SetTagsRequestSchema,
  SetTitleRequestSchema,
  type UpdateBookRequest,
  UpdateBookRequestSchema,
  UpdateShelfRequestSchema,
} from "../gen/library/v1/library_pb.js";
import { decodeRequest, type TestRequest } from "../testing/decode.js";
import { createTestRule, type TestRule } from "../testing/test-rule.js";
import { createRequestDecoder } from "./decode-request.js";

type Init = MessageInitShape<DescMessage>;

describe("rule 9: body bindings", () => {
  const createBook: TestRule = { input: CreateBookRequestSchema, path: ["parent"], body: "book" };
  const updateBook: TestRule = { input: UpdateBookRequestSchema, path: ["book.name"], body: "book" };
  const updateShelf: TestRule = { input: UpdateShelfRequestSchema, path: ["name"], body: "*" };
  const getBook: TestRule = { input: BookSchema, path: ["name"] };

  test.each<[string, TestRule, TestRequest, Init]>([
    [
      "one message",
      createBook,
      { values: ["shelves/1"], body: '{"title": "A"}' },
      { parent: "shelves/1", book: { title: "A" } },
    ],
    ["one message and the query", createBook, { query: "bookId=b", body: "{}" }, { bookId: "b", book: {} }],
    ["one message, empty", createBook, {}, { book: {} }],
    ["one message, null", createBook, { body: "null" }, {}],
    [
      "one message within which the path binds",
      updateBook,
      { values: ["n"], body: '{"title": "A"}' },
      { book: { name: "n", title: "A" } },
    ],
    [
      "one message that repeats the path's value",
      updateBook,
      { values: ["n"], body: '{"name": "n"}' },
      { book: { name: "n" } },
    ],
    [
      "a scalar",
      { input: SetTitleRequestSchema, path: ["id"], body: "title" },
      { values: ["1"], body: '"A"' },
      { id: "1", title: "A" },
    ],
    ["a scalar, empty", { input: SetTitleRequestSchema, body: "title" }, {}, {}],
    ["a list", { input: SetTagsRequestSchema, body: "tags" }, { body: '["a", "b"]' }, { tags: ["a", "b"] }],
    ["a map", { input: SetLabelsRequestSchema, body: "labels" }, { body: '{"a": "b"}' }, { labels: { a: "b" } }],
    [
      "a timestamp",
      { input: BookSchema, body: "publish_time" },
      { body: '"1970-01-01T00:00:01Z"' },
      { publishTime: { seconds: 1n } },
    ],
    ["a timestamp, empty", { input: BookSchema, body: "publish_time" }, {}, {}],
    ["all", updateShelf, { values: ["n"], body: '{"theme": "A"}' }, { name: "n", theme: "A" }],
    ["all fields, empty", updateShelf, { values: ["n"] }, { name: "n" }],
    [
      "all fields, with the path's value repeated",
      updateShelf,
      { values: ["n"], body: '{"name": "n", "capacity": 1}' },
      { name: "n", capacity: 1 },
    ],
    [
      "all fields, with null for the path's field",
      updateShelf,
      { values: ["n"], body: '{"name": null}' },
      { name: "n" },
    ],
    ["nothing, and ignores any content", getBook, { values: ["n"], body: "}" }, { name: "n" }],
  ])("binds %s", (_, rule, request, init) => {
    expect(decodeRequest(rule, request)).toEqual({ message: create(rule.input, init), violations: [] });
  });

  const EQUAL = "must equal the value in the path or be omitted";
  test.each<[string, TestRule, TestRequest, ...string[]]>([
    ["a body that contradicts the path", updateShelf, { values: ["n"], body: '{"name": "m"}' }, `name: ${EQUAL}`],
    [
      "an empty value that contradicts the path",
      updateShelf,
      { values: ["n"], body: '{"name": ""}' },
      `name: ${EQUAL}`,
    ],
    [
      "a nested field that contradicts the path",
      updateBook,
      { values: ["n"], body: '{"name": "m"}' },
      `book.name: ${EQUAL}`,
    ],
    [
      "an invalid path value, but no contradiction of it",
      { input: ScalarsSchema, path: ["int32_value"], body: "*" },
      { values: ["x"], body: '{"int32Value": 1}' },
      "int32_value: must be an integer from -2147483648 to 2147483647",
    ],
    [
      "an unknown field, without suggesting fields that the path binds",
      updateShelf,
      { body: '{"x": 1}' },
      "x: is an unknown field; the fields are: theme, capacity",
    ],
    [
      "an invalid scalar body",
      { input: SetTitleRequestSchema, body: "title" },
      { body: "1" },
      "title: must be a string, not a number",
    ],
    ["a message body", createBook, { body: "[]" }, "book: must be an object, not an array"],
    ["a message body within which the path binds", updateBook, { body: "5" }, "book: must be an object, not a number"],
    [
      "an invalid list body",
      { input: SetTagsRequestSchema, body: "tags" },
      { body: '["a", 1]' },
      "tags[1]: must be a string, not a number",
    ],
    [
      "query parameters if the body is the whole message",
      updateShelf,
      { query: "theme=A" },
      "theme: is an unknown query parameter: remove it, because no query parameters are accepted here",
    ],
    [
      "path, query and body together",
      { input: AllKindsSchema, path: ["scalars.int32_value"], body: "lists" },
      { values: ["x"], query: "scalars.bool_value=1", body: '{"x": 1}' },
      "scalars.int32_value: must be an integer from -2147483648 to 2147483647",
      expect.stringMatching(/^scalars.bool_value: must be true or false/),
      expect.stringMatching(/^lists.x: is an unknown field/),
    ],
  ])("rejects %s", (_, rule, request, ...violations) => {
    expect(decodeRequest(rule, request).violations).toEqual(violations);
  });

  test.each([
    ["[]", "the body must be a JSON object"],
    ["null", "the body must be a JSON object"],
    ['"x', "the body is not valid JSON: a string has no closing quote at line 1, column 1"],
    ["{} {}", "the body is not valid JSON: expected the end of the body at line 1, column 4"],
    ["\ufeff{}", "the body starts with a byte order mark: send UTF-8 without one"],
    [new Uint8Array([0x7b, 0xff, 0x7d]), "the body must be valid UTF-8"],
    [new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]), "the body must be valid UTF-8"],
  ])("rule 11: rejects malformed %j", (body, message) => {
    expect(() => decodeRequest(updateShelf, { body })).toThrow(
      expect.objectContaining({ name: "RequestError", reason: "BODY_MALFORMED", message }),
    );
  });

  test("rejects null with the option refuse_null of the method", () => {
    const rule: TestRule = { ...updateShelf, refuseNull: true };
    const NULL = "must not be null: omit the field to keep its value";
    const body = '{"theme": null, "name": null}';
    expect(decodeRequest(rule, { values: ["n"], body }).violations).toEqual([`theme: ${NULL}`, `name: ${NULL}`]);
    expect(decodeRequest({ ...createBook, refuseNull: true }, { body: "null" }).violations).toEqual([`book: ${NULL}`]);
    const values: TestRule = { input: WellKnownSchema, body: "*", refuseNull: true };
    expect(decodeRequest(values, { body: '{"jsonValue": null, "nullValue": null}' }).violations).toEqual([]);
  });
});

describe("rule 9: path values", () => {
  test.each<[string, string, Init]>([
    ["int32_value", "-5", { int32Value: -5 }],
    ["uint64_value", "18446744073709551615", { uint64Value: 2n ** 64n - 1n }],
    ["long_text", "7", { longText: "7" }],
    ["bool_value", "true", { boolValue: true }],
    ["double_value", "1.5e3", { doubleValue: 1500 }],
    ["double_value", "-Infinity", { doubleValue: Number.NEGATIVE_INFINITY }],
    ["string_value", " 0/é ", { stringValue: " 0/é " }],
    ["bytes_value", "_w", { bytesValue: new Uint8Array([255]) }],
    ["binding", "hardcover", { binding: 1 }],
    ["binding", "BINDING_SOFTCOVER", { binding: 2 }],
    ["binding", "2", { binding: 2 }],
  ])("%s accepts %s", (name, value, init) => {
    expect(decodeRequest({ input: ScalarsSchema, path: [name] }, { values: [value] })).toEqual({
      message: create(ScalarsSchema, init),
      violations: [],
    });
  });

  test.each([
    ...["", "05", "+5", "5.0", " 5", "5 ", "-0", "1e2", "0x5", "٥", "2147483648"].map((value) => [
      "int32_value",
      value,
    ]),
    ...["", "9223372036854775808", "99999999999999999999999"].map((value) => ["int64_value", value]),
    ...["", "1", "TRUE"].map((value) => ["bool_value", value]),
    ...["", "+1", ".5", "1e400", "nan"].map((value) => ["double_value", value]),
    ["bytes_value", "a"],
    ["binding", "Hardcover"],
    ["binding", "01"],
  ])("%s rejects %j", (name = "", value = "") => {
    const { violations } = decodeRequest({ input: ScalarsSchema, path: [name] }, { values: [value] });
    expect(violations).toEqual([expect.stringContaining(`${name}: must be `)]);
  });

  test("rejects a NUL with refuseNul", () => {
    const rule: TestRule = { input: ScalarsSchema, path: ["string_value"] };
    expect(decodeRequest(rule, { values: ["\0"] }).violations).toEqual([]);
    expect(decodeRequest(rule, { values: ["\0"] }, { refuseNul: true }).violations).toEqual([
      "string_value: must not contain a NUL character",
    ]);
  });
});

describe("rule 12: the field mask of a PATCH", () => {
  const patch: TestRule = { method: "PATCH", input: UpdateBookRequestSchema, path: ["book.name"], body: "book" };
  test.each([
    ["keys in either spelling", '{"title": "A", "pageCount": 1}', ["title", "page_count"]],
    [
      "leaves of messages",
      '{"author": {"fullName": "A", "birth_year": null}}',
      ["author.full_name", "author.birth_year"],
    ],
    ["messages without fields", '{"author": {}}', ["author"]],
    ["nulls, which clear", '{"title": null, "author": null}', ["title", "author"]],
    [
      "lists, maps and timestamps as a whole",
      '{"copies": [{"number": 1}], "labels": {"a": ""}, "publishTime": null}',
      ["copies", "labels", "publish_time"],
    ],
    ["no fields that the path binds", '{"name": "n", "title": ""}', ["title"]],
    ["nothing", "{}", []],
    ["nothing of an empty body", "", []],
  ])("contains %s", (_, body, paths) => {
    const { message, violations } = decodeRequest(patch, { values: ["n"], body });
    expect(violations).toEqual([]);
    expect((message as UpdateBookRequest).updateMask?.paths).toEqual(paths);
  });

  test("is kept if the request has one", () => {
    const { message } = decodeRequest(patch, { query: "updateMask=title,pageCount", body: '{"genre": "poetry"}' });
    expect((message as UpdateBookRequest).updateMask?.paths).toEqual(["title", "page_count"]);
  });

  test.each([
    ['{"updateMask": null, "book": {"title": "A", "author": {"fullName": "A"}}}', ["title", "author.full_name"]],
    ['{"book": {"name": "n", "title": "A"}}', ["title"]],
    ['{"book": {"title": "A"}, "updateMask": "genre"}', ["genre"]],
    ['{"book": {}}', []],
    ["{}", []],
    ["", []],
  ])("is relative to the resource if the body is the whole request: %s", (body, paths) => {
    const { message, violations } = decodeRequest({ ...patch, body: "*" }, { values: ["n"], body });
    expect(violations).toEqual([]);
    expect((message as UpdateBookRequest).updateMask?.paths).toEqual(paths);
  });

  test("is unset if no field of a whole request is the resource", () => {
    const flat: TestRule = { method: "PATCH", input: GetBookRequestSchema, body: "*" };
    const { message, violations } = decodeRequest(flat, { body: '{"name": "n"}' });
    expect(violations).toEqual([]);
    expect((message as GetBookRequest).readMask).toBeUndefined();
  });

  test("is created only for PATCH", () => {
    const { message } = decodeRequest({ ...patch, method: "PUT" }, { body: '{"title": "A"}' });
    expect((message as UpdateBookRequest).updateMask).toBeUndefined();
  });
});

describe("rule 13: google.api.HttpBody", () => {
  const body = new Uint8Array([0xff, 0x00]);
  test("is decoded as the request", () => {
    const rule: TestRule = { input: HttpBodySchema, body: "*" };
    expect(createRequestDecoder(createTestRule(rule)).body).toBe("raw");
    expect(decodeRequest(rule, { body, headers: { "content-type": "image/png" } }).message).toEqual(
      create(HttpBodySchema, { contentType: "image/png", data: body }),
    );
  });

  test("is decoded as a field, with other fields from path and query", () => {
    const rule: TestRule = { input: PutFileRequestSchema, path: ["path"], body: "content" };
    expect(createRequestDecoder(createTestRule(rule)).body).toBe("raw");
    expect(decodeRequest(rule, { values: ["a/b"], query: "comment=c", body })).toEqual({
      message: create(PutFileRequestSchema, { path: "a/b", comment: "c", content: { data: body } }),
      violations: [],
    });
    expect(decodeRequest(rule, {}).message).toEqual(create(PutFileRequestSchema, { content: {} }));
  });

  test("is the only raw kind of body", () => {
    expect(createRequestDecoder(createTestRule({ input: BookSchema, body: "*" })).body).toBe("json");
    expect(createRequestDecoder(createTestRule({ input: BookSchema })).body).toBe("none");
  });
});

describe("rule 23: fields that are sent as headers", () => {
  const updateShelf: TestRule = { input: UpdateShelfRequestSchema, path: ["name"], body: "*" };
  const createShelf: TestRule = { input: CreateShelfRequestSchema, body: "shelf" };

  test.each<[string, TestRule, TestRequest, Init]>([
    ["unchanged", updateShelf, { headers: { "if-match": '"v1", "é"' } }, { etag: '"v1", "é"' }],
    ["any tag", updateShelf, { headers: { "if-match": "*" } }, { etag: "*" }],
    ["as numbers", updateShelf, { headers: { "x-patience": "5" } }, { patience: 5 }],
    ["absent", updateShelf, {}, {}],
    ["if the body is one field", createShelf, { headers: { "idempotency-key": "a" } }, { shelf: {}, requestId: "a" }],
  ])("are read: %s", (_, rule, request, message) => {
    const { message: read, violations } = decodeRequest(rule, { values: ["n"], ...request });
    expect(violations).toEqual([]);
    expect(read).toEqual(create(rule.input, rule.path ? { name: "n", ...message } : message));
  });

  test.each<[TestRule, TestRequest, string]>([
    [
      updateShelf,
      { headers: { "if-match": "v1" } },
      'etag: must be * or a list of etags in double quotes, such as "1", "2"; JSON requests send this field as the header If-Match',
    ],
    [
      updateShelf,
      { headers: { "if-none-match": "" } },
      'If-None-Match: must be * or a list of etags in double quotes, such as "1", "2"',
    ],
    [
      createShelf,
      { headers: { "if-match": '"v1"' } },
      "If-Match: is not supported by this method: send the request without the header",
    ],
    [updateShelf, { headers: { "x-patience": "soon" } }, "patience: must be an integer from -2147483648 to 2147483647"],
    [updateShelf, { body: '{"etag": "v1"}' }, "etag: is sent as the header If-Match: remove it from the body"],
    [createShelf, { body: '{"etag": "v1"}' }, "shelf.etag: is sent as the header ETag: remove it from the body"],
    [
      createShelf,
      { query: "request_id=a" },
      "request_id: is an unknown query parameter; the query parameters are: shelf_id",
    ],
  ])("are rejected in the wrong place: %#", (rule, request, violation) => {
    expect(decodeRequest(rule, request).violations).toEqual([violation]);
  });
});
