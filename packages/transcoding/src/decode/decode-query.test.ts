import { create, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { OptionalScalarsSchema } from "../gen/library/v1/all_kinds_pb.js";
import {
  BookFilterSchema,
  CreateBookRequestSchema,
  ListBooksRequestSchema,
  UpdateBookRequestSchema,
} from "../gen/library/v1/library_pb.js";
import { decodeRequest, type TestDecoded } from "../testing/decode.js";

const list = (query: string): TestDecoded =>
  decodeRequest({ input: ListBooksRequestSchema, path: ["parent"] }, { values: ["p"], query });

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
  ])("%s", (query, init) => {
    expect(list(query)).toEqual({ message: create(ListBooksRequestSchema, { parent: "p", ...init }), violations: [] });
  });

  test("durations and all else that is one text", () => {
    const rule = { input: OptionalScalarsSchema };
    const query = "double_value=NaN&int64_value=-9223372036854775808&bytes_value=-_8&binding=lost&long_text=1";
    expect(decodeRequest(rule, { query })).toEqual({
      message: create(OptionalScalarsSchema, {
        doubleValue: Number.NaN,
        int64Value: -(2n ** 63n),
        bytesValue: new Uint8Array([0xfb, 0xff]),
        binding: -1,
        longText: "1",
      }),
      violations: [],
    });
  });

  test.each<[string, ...(string | RegExp)[]]>([
    ["page_size=05", "page_size: must be an integer from -2147483648 to 2147483647"],
    ["pageSize=", "page_size: must be an integer from -2147483648 to 2147483647"],
    ["page_size=1&pageSize=1", "page_size: is given twice"],
    ["page_token=%", "page_token: is not percent-encoded UTF-8"],
    ["page_token=%ff", "page_token: is not percent-encoded UTF-8"],
    ["page_token=%ed%a0%80", "page_token: is not percent-encoded UTF-8"],
    ["%zz=1", "%zz: is not percent-encoded UTF-8"],
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
  ])("refused: %s", (query, ...violations) => {
    expect(list(query).violations).toEqual(
      violations.map((violation) => (typeof violation === "string" ? violation : expect.stringMatching(violation))),
    );
  });

  test.each([
    ["the path", UpdateBookRequestSchema, { path: ["book.name"], body: "book" }, "book.name=x"],
    ["the body", CreateBookRequestSchema, { body: "book" }, "book.title=x"],
    ["the whole body", BookFilterSchema, { body: "*" }, "tags=x"],
  ] as const)("what %s binds is unknown", (_, input: DescMessage, rule, query) => {
    expect(decodeRequest({ input, ...rule }, { query }).violations).toEqual([
      expect.stringContaining("is an unknown query parameter"),
    ]);
  });

  test("only one field of a oneof", () => {
    const query = "book.reader=A&book.due_time=1970-01-01T00:00:00Z";
    const { violations } = decodeRequest({ input: UpdateBookRequestSchema, path: [] }, { query });
    expect(violations).toEqual(["book.due_time: cannot be given together with reader"]);
  });

  test.each([
    ["refuse", ["x", "utm"]],
    ["ignore", []],
    [["utm", "alt"], ["x"]],
  ] as const)("unknown ones by option: %j", (unknownQuery, refused) => {
    const rule = { input: ListBooksRequestSchema };
    const { violations } = decodeRequest(rule, { query: "x=1&utm=2&page_size=3" }, { unknownQuery });
    expect(violations.map((violation) => violation.split(":")[0])).toEqual(refused);
  });
});
