import { create, type DescMessage, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  AllKindsSchema,
  ListsSchema,
  MapsSchema,
  OptionalScalarsSchema,
  WellKnownSchema,
} from "../gen/library/v1/all_kinds_pb.js";
import {
  BookFilterSchema,
  CreateBookRequestSchema,
  ListBooksRequestSchema,
  UpdateBookRequestSchema,
} from "../gen/library/v1/library_pb.js";
import { type DecodedTestRequest, decodeRequest } from "../testing/decode.js";

const list = (query: string): DecodedTestRequest =>
  decodeRequest({ input: ListBooksRequestSchema, path: ["parent"] }, { values: ["p"], query });

/** Decodes the query of a request without path variables and body. Fails the test if there are violations. */
function decodeValid(input: DescMessage, query: string): Message {
  const { message, violations } = decodeRequest({ input }, { query });
  expect(violations).toEqual([]);
  return message;
}

function toMatcher(violation: string | RegExp): unknown {
  return typeof violation === "string" ? violation : expect.stringMatching(violation);
}

describe("rule 10: query parameters", () => {
  test.each<[string, MessageInitShape<typeof ListBooksRequestSchema>]>([
    ["", {}],
    ["&&", {}],
    ["page_size=5", { pageSize: 5 }],
    ["pageSize=5&page_token=", { pageSize: 5, pageToken: "" }],
    ["page_token", { pageToken: "" }],
    ["page_token=a+b%20c%2Bd%26e=f", { pageToken: "a b c+d&e=f" }],
    ["page%5Ftoken=%F0%9F%98%80", { pageToken: "😀" }],
    [
      "filter.author.full_name=A&filter.author.birthYear=1900",
      { filter: { author: { fullName: "A", birthYear: 1900 } } },
    ],
    ["filter.author.fullName=A", { filter: { author: { fullName: "A" } } }],
    ["filter.genres=novel&filter.genres=GENRE_POETRY&filter.genres=3", { filter: { genres: [1, 2, 3] } }],
    ["filter.tags=a&filter.tags=&filter.tags=a", { filter: { tags: ["a", "", "a"] } }],
    [
      "filter.publishedAfter=1970-01-01T00:00:01.5Z",
      { filter: { publishedAfter: { seconds: 1n, nanos: 500_000_000 } } },
    ],
    ["filter.published_after=1970-01-01T01:00:00%2B01:00", { filter: { publishedAfter: {} } }],
    ["filter.min_rating=4.5&show_copies=false", { filter: { minRating: 4.5 }, showCopies: false }],
    ["read_mask=title,pageCount", { readMask: { paths: ["title", "page_count"] } }],
    ["etag_prefix=-_8%3D", { etagPrefix: new Uint8Array([0xfb, 0xff]) }],
  ])("decodes %s", (query, init) => {
    expect(list(query)).toEqual({ message: create(ListBooksRequestSchema, { parent: "p", ...init }), violations: [] });
  });

  test("decodes scalars of every kind", () => {
    const query = "double_value=NaN&int64_value=-9223372036854775808&bytes_value=-_8&binding=lost&long_text=1";
    const scalars = create(OptionalScalarsSchema, {
      doubleValue: Number.NaN,
      int64Value: -(2n ** 63n),
      bytesValue: new Uint8Array([0xfb, 0xff]),
      binding: -1,
      longText: "1",
    });
    expect(decodeValid(OptionalScalarsSchema, query)).toEqual(scalars);
  });

  test("accepts the shortest text of the largest float", () => {
    const largest = create(OptionalScalarsSchema, { floatValue: 2 ** 128 - 2 ** 104 });
    expect(decodeValid(OptionalScalarsSchema, "float_value=3.4028235e38")).toEqual(largest);
  });

  test.each<[string, MessageInitShape<typeof MapsSchema>]>([
    [
      "string_values[a]=b&stringValues[c.d]=e%5D&string_values[a%5Bb%5D]=",
      { stringValues: { a: "b", "c.d": "e]", "a[b]": "" } },
    ],
    ["string_values[]=x&string_values[__proto__]=y", { stringValues: { "": "x", ["__proto__"]: "y" } }],
    ["int32_values[-1]=5", { int32Values: { [-1]: 5 } }],
    ["int64_values[9223372036854775807]=-1", { int64Values: { "9223372036854775807": -1n } }],
    ["bytes_values[true]=-_8", { bytesValues: { true: new Uint8Array([0xfb, 0xff]) } }],
    ["bindings[a]=lost&bindings[b]=1", { bindings: { a: -1, b: 1 } }],
  ])("decodes maps: %s", (query, init) => {
    expect(decodeValid(MapsSchema, query)).toEqual(create(MapsSchema, init));
  });

  test("decodes lists of well-known types", () => {
    const query = "timestamps=1970-01-01T00:00:01Z&timestamps=1970-01-01T00:00:02Z&wrappers=5&wrappers=0";
    const timestamps = [{ seconds: 1n }, { seconds: 2n }];
    const lists = create(ListsSchema, { timestamps, wrappers: [{ value: 5 }, { value: 0 }] });
    expect(decodeValid(ListsSchema, query)).toEqual(lists);
  });

  test.each<[string, MessageInitShape<typeof WellKnownSchema>]>([
    ['json_object={"a":[1,null]}', { jsonObject: { a: [1, null] } }],
    ["json_value=5", { jsonValue: { kind: { case: "numberValue", value: 5 } } }],
    ["json_value=null", { jsonValue: { kind: { case: "nullValue", value: 0 } } }],
    ['jsonList=["a"]', { jsonList: { values: [{ kind: { case: "stringValue", value: "a" } }] } }],
  ])("decodes Struct, Value and ListValue from JSON: %s", (query, init) => {
    expect(decodeValid(WellKnownSchema, encodeURI(query))).toEqual(create(WellKnownSchema, init));
  });

  test("decodes fields of a recursive message down to 100 levels", () => {
    const query = "nested_self.nestedSelf.scalars.int32_value=5&nestedSelf.nested_self.maps.stringValues[a.b]=c";
    const inner = { scalars: { int32Value: 5 }, maps: { stringValues: { "a.b": "c" } } };
    const recursive = create(AllKindsSchema, { nestedSelf: { nestedSelf: inner } });
    expect(decodeValid(AllKindsSchema, query)).toEqual(recursive);
    const deep = `${"nested_self.".repeat(98)}scalars.int32_value=1`;
    decodeValid(AllKindsSchema, deep);
    expect(decodeRequest({ input: AllKindsSchema }, { query: `nested_self.${deep}` }).violations).toEqual([
      expect.stringContaining("is nested more than 100 levels"),
    ]);
  });

  test.each<[DescMessage, string, ...(string | RegExp)[]]>([
    [MapsSchema, "string_values=x", "string_values: needs a key, as in string_values[key]"],
    [MapsSchema, "string_values[a]=x&stringValues[a]=y", 'string_values["a"]: is given twice'],
    [MapsSchema, "int32_values[01]=5", /^int32_values\["01"\]: has an invalid key, which must be an integer/],
    [MapsSchema, "int32_values[1]=x", /^int32_values\["1"\]: must be an integer/],
    [MapsSchema, "string_values[a=x", /^string_values\[a: is an unknown query parameter/],
    [MapsSchema, "string_values[a]b=x", /^string_values\[a\]b: is an unknown query parameter/],
    [MapsSchema, "choices[a]=x", /^choices\[a\]: is an unknown query parameter/],
    [ListsSchema, "choices=x", /^choices: is an unknown query parameter/],
    [ListsSchema, "strings[a]=x", /^strings\[a\]: is an unknown query parameter/],
    [WellKnownSchema, "json_object=[]", "json_object: must be an object, not an array"],
    [WellKnownSchema, "json_object={", "json_object: must be JSON"],
    [WellKnownSchema, "json_object={}x", "json_object: must be JSON"],
    [
      WellKnownSchema,
      'json_object={"a":[1,x&json_list=[{"b":&duration=x',
      "json_object: must be JSON",
      "json_list: must be JSON",
      "duration: must be a duration in seconds such as 1.5s",
    ],
    [WellKnownSchema, 'json_object={"a":1,"a":2}', 'json_object["a"]: is given twice'],
    [WellKnownSchema, "json_object={}&jsonObject={}", "json_object: is given twice"],
    [WellKnownSchema, "timestamp.seconds=1", /^timestamp.seconds: is an unknown query parameter/],
  ])("rejects in %s: %s", (input, query, ...violations) => {
    expect(decodeRequest({ input }, { query }).violations).toEqual(violations.map(toMatcher));
  });

  test.each<[string, ...(string | RegExp)[]]>([
    ["page_size=05", "page_size: must be an integer from -2147483648 to 2147483647"],
    ["pageSize=", "page_size: must be an integer from -2147483648 to 2147483647"],
    ["page_size=1&pageSize=1", "page_size: is given twice"],
    ["page_token=%", "page_token: must be percent-encoded UTF-8"],
    ["page_token=%ff", "page_token: must be percent-encoded UTF-8"],
    ["page_token=%ed%a0%80", "page_token: must be percent-encoded UTF-8"],
    ["%zz=1", "%zz: must be percent-encoded UTF-8"],
    ["filter.genres=x", "filter.genres: must be one of GENRE_NOVEL, GENRE_POETRY, GENRE_REFERENCE"],
    ["filter.published_after=2026", /^filter.published_after: must be an RFC 3339 timestamp/],
    ["filter.author.full_name=A&filter.author.full_name=B", "filter.author.full_name: is given twice"],
    [
      "pagesize=1",
      /^pagesize: is an unknown query parameter; did you mean page_size\? The query parameters are: page_size, page_token, filter.author.full_name, /,
    ],
    ["parent=x", /^parent: is an unknown query parameter; /],
    ["filter=x", /^filter: is an unknown query parameter; /],
    ["filter.author=x", /^filter.author: is an unknown /],
    ["page_size.x=1", /^page_size.x: is an unknown /],
    ["=1", /^"": is an unknown /],
    ["x=1&page_size=y&z", /^x: /, /^page_size: /, /^z: /],
  ])("rejects %s", (query, ...violations) => {
    expect(list(query).violations).toEqual(violations.map(toMatcher));
  });

  test.each([
    ["the path", UpdateBookRequestSchema, { path: ["book.name"], body: "book" }, "book.name=x"],
    ["the body", CreateBookRequestSchema, { body: "book" }, "book.title=x"],
    ["the whole body", BookFilterSchema, { body: "*" }, "tags=x"],
  ] as const)("rejects parameters of fields that %s binds", (_, input: DescMessage, rule, query) => {
    expect(decodeRequest({ input, ...rule }, { query }).violations).toEqual([
      expect.stringContaining("is an unknown query parameter"),
    ]);
  });

  test("rejects more than one field of a oneof", () => {
    const query = "book.reader=A&book.due_time=1970-01-01T00:00:00Z";
    const { violations } = decodeRequest({ input: UpdateBookRequestSchema, path: [] }, { query });
    expect(violations).toEqual(["book.due_time: cannot be given together with reader"]);
  });

  test.each([
    ["refuse", ["x", "utm"]],
    ["ignore", []],
    [["utm", "alt"], ["x"]],
  ] as const)("treats unknown parameters by unknownQuery: %j", (unknownQuery, refused) => {
    const rule = { input: ListBooksRequestSchema };
    const { violations } = decodeRequest(rule, { query: "x=1&utm=2&page_size=3" }, { unknownQuery });
    expect(violations.map((violation) => violation.split(":")[0])).toEqual(refused);
  });
});
