import type { DescMessage } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  AllKindsSchema,
  ListsSchema,
  MapsSchema,
  WellKnownSchema,
  WrappersSchema,
} from "../gen/library/v1/all_kinds_pb.js";
import { LibraryService } from "../gen/library/v1/library_pb.js";
import { createTestRule } from "../testing/test-rule.js";
import { printFieldPath } from "./field-path.js";
import { readHttpRules } from "./http-rule.js";
import { findQueryProblems, queryFields } from "./query-fields.js";

describe("rule 9: what neither path nor body binds is in the query", () => {
  test.each<[rpc: string, fields: readonly (readonly string[])[]]>([
    ["ListShelves", [["page_size", "page_token"]]],
    ["CreateShelf", [["shelf_id"]]],
    ["GetShelf", [[]]],
    ["UpdateShelf", [[]]],
    ["DeleteShelf", [["force"]]],
    ["CreateBook", [["book_id", "validate_only"], []]],
    [
      "GetBook",
      [
        ["id", "read_mask"],
        ["name", "read_mask"],
      ],
    ],
    ["UpdateBook", [["update_mask"]]],
    ["PutFile", [["comment"]]],
    ["Echo", [[]]],
    ["SetTags", [[]]],
  ])("of %s: %j", (rpc, fields) => {
    const rules = readHttpRules([LibraryService]).filter((rule) => rule.rpc.name === rpc);
    expect(rules.map((rule) => queryFields(rule).map(printFieldPath))).toEqual(fields);
  });

  test("the fields of nested messages one by one, well-known types as one, each shelf's parent from the path", () => {
    const [first, second] = readHttpRules([LibraryService]).filter((rule) => rule.rpc.name === "ListBooks");
    const fields = [
      "page_size",
      "page_token",
      "filter.author.full_name",
      "filter.author.birth_year",
      "filter.genres",
      "filter.published_after",
      "filter.min_rating",
      "filter.tags",
      "read_mask",
      "show_copies",
      "etag_prefix",
      "order_by",
    ];
    expect(first && queryFields(first).map(printFieldPath)).toEqual(fields);
    expect(second && queryFields(second).map(printFieldPath)).toEqual(["parent", ...fields]);
  });
});

describe("rule 8: fields that no query parameter can hold", () => {
  test.each<[message: DescMessage, problems: readonly string[]]>([
    [WrappersSchema, []],
    [
      WellKnownSchema,
      [
        '"json_object" is a google.protobuf.Struct',
        '"json_value" is a google.protobuf.Value',
        '"json_list" is a google.protobuf.ListValue',
        '"any_message" is a google.protobuf.Any',
      ],
    ],
    [
      ListsSchema,
      ["choices", "timestamps", "wrappers", "structs", "json_values"].map((name) => `"${name}" is a repeated message`),
    ],
    [MapsSchema, MapsSchema.fields.map(({ name }) => `"${name}" is a map`)],
  ])("of %s", (input, problems) => {
    expect(findQueryProblems(createTestRule({ input }))).toEqual(
      problems.map((problem) => `${problem}, which no query parameter can hold; bind it by "body"`),
    );
  });

  test("a message within itself, found once", () => {
    const problems = findQueryProblems(createTestRule({ input: AllKindsSchema }));
    expect(problems.filter((problem) => problem.includes("within itself"))).toEqual([
      '"nested_self" is a message within itself, which no query parameter can hold; bind it by "body"',
    ]);
    expect(problems).toContain('"maps.bindings" is a map, which no query parameter can hold; bind it by "body"');
  });

  test.each([
    { body: "*", without: ["nested_self", "maps", "lists", "well_known"] },
    { body: "nested_self", without: ["nested_self"] },
    { body: "maps", without: ["maps"] },
  ])("body $body takes them out of the query", ({ body, without }) => {
    const problems = findQueryProblems(createTestRule({ input: AllKindsSchema, body }));
    for (const name of without) {
      expect(problems.filter((problem) => problem.startsWith(`"${name}`))).toEqual([]);
    }
  });
});
