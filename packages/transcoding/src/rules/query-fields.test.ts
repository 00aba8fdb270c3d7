import type { DescMessage } from "@bufbuild/protobuf";
import { FieldDescriptorProto_Label as Label, FieldDescriptorProto_Type as Type } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import {
  AllKindsSchema,
  ListsSchema,
  MapsSchema,
  WellKnownSchema,
  WrappersSchema,
} from "../gen/library/v1/all_kinds_pb.js";
import { LibraryService } from "../gen/library/v1/library_pb.js";
import { buildMessages } from "../testing/build-message.js";
import { createTestRule } from "../testing/test-rule.js";
import { formatFieldPath } from "./field-path.js";
import { findQueryProblems, listQueryFields } from "./query-fields.js";
import { readHttpRules } from "./read-http-rules.js";

describe("rule 9: fields that neither path nor body binds are query parameters", () => {
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
    expect(rules.map((rule) => listQueryFields(rule).map(formatFieldPath))).toEqual(fields);
  });

  test("lists the fields of nested messages, and a well-known type as one parameter", () => {
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
    expect(first && listQueryFields(first).map(formatFieldPath)).toEqual(fields);
    expect(second && listQueryFields(second).map(formatFieldPath)).toEqual(["parent", ...fields]);
  });
});

test("rule 10: lists maps, lists of well-known types and JSON values as parameters", () => {
  const names = (input: DescMessage) => listQueryFields(createTestRule({ input })).map(formatFieldPath);
  expect(names(WellKnownSchema)).toEqual(
    WellKnownSchema.fields.map(({ name }) => name).filter((name) => name !== "any_message"),
  );
  expect(names(ListsSchema)).toEqual(expect.arrayContaining(["timestamps", "wrappers", "nulls"]));
  expect(names(MapsSchema)).toEqual(expect.arrayContaining(["string_values", "bytes_values", "wrappers", "bindings"]));
});

test("rule 10: lists the parameters of a recursive message down to the recursion", () => {
  const names = listQueryFields(createTestRule({ input: AllKindsSchema })).map(formatFieldPath);
  expect(names).toContain("well_known.timestamp");
  expect(names.filter((name) => name.startsWith("nested_self"))).toEqual([]);
});

describe("rule 8: reports fields that no query parameter can represent", () => {
  test.each<[message: DescMessage, fields: string | undefined]>([
    [WrappersSchema, undefined],
    [WellKnownSchema, '"any_message" (a google.protobuf.Any)'],
    [
      ListsSchema,
      '"choices" (a repeated message), "structs" (repeated google.protobuf.Struct) and ' +
        '"json_values" (repeated google.protobuf.Value)',
    ],
    [
      MapsSchema,
      '"choices" (a map of messages), "structs" (a map of google.protobuf.Struct) and ' +
        '"json_values" (a map of google.protobuf.Value)',
    ],
    [
      AllKindsSchema,
      '"lists.choices" (a repeated message), "lists.structs" (repeated google.protobuf.Struct), ' +
        '"lists.json_values" (repeated google.protobuf.Value), "maps.choices" (a map of messages), ' +
        '"maps.structs" (a map of google.protobuf.Struct) and 2 more',
    ],
  ])("of %s, in one line", (input, fields) => {
    const problems = findQueryProblems(createTestRule({ input, method: "GET" }));
    expect(problems).toEqual(
      fields === undefined
        ? []
        : [
            `GET /: query parameters cannot hold ${fields}; bind ${fields.includes(" and ") ? "them" : "it"} with "body"`,
          ],
    );
  });

  test("of a recursive message, once for each type", () => {
    const [node, tree, forest] = buildMessages({
      Node: [field("name"), field("left", "Node"), field("right", "Node"), field("tree", "Tree")],
      Tree: [field("root", "Node"), field("parent", "Tree"), { ...field("branches", "Node"), label: Label.REPEATED }],
      Forest: [field("first", "Tree"), field("second", "Tree"), field("node", "Node")],
    }) as [DescMessage, DescMessage, DescMessage];
    const of = (input: DescMessage) => findQueryProblems(createTestRule({ input, method: "GET" }));
    expect([node, tree, forest].map(of)).toEqual(
      ["tree.branches", "branches", "first.branches"].map((name) => [
        `GET /: query parameters cannot hold "${name}" (a repeated message); bind it with "body"`,
      ]),
    );
    expect(listQueryFields(createTestRule({ input: node })).map(formatFieldPath)).toEqual(["name"]);
  });

  test.each([
    { body: "*", without: ["lists", "maps", "well_known"] },
    { body: "lists", without: ['"lists'] },
    { body: "maps", without: ['"maps'] },
  ])("but not those that body $body binds", ({ body, without }) => {
    const problems = findQueryProblems(createTestRule({ input: AllKindsSchema, body })).join();
    for (const name of without) expect(problems).not.toContain(name);
  });
});

function field(name: string, message?: string) {
  return message === undefined
    ? { name, type: Type.STRING, label: Label.OPTIONAL }
    : { name, type: Type.MESSAGE, typeName: `.test.${message}`, label: Label.OPTIONAL };
}
