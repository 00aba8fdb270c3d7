import type { DescMessage } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { AllKindsSchema } from "../gen/library/v1/all_kinds_pb.js";
import { BookSchema } from "../gen/library/v1/library_pb.js";
import { FieldPathError, findFieldByProtoName, formatFieldPath, requireFieldPath } from "./field-path.js";

describe("rule 8: field paths", () => {
  test.each<[message: DescMessage, path: string]>([
    [BookSchema, "id"],
    [BookSchema, "author"],
    [BookSchema, "author.birth_year"],
    [BookSchema, "copies"],
    [BookSchema, "labels"],
    [BookSchema, "publish_time"],
    [BookSchema, "reader"],
    [AllKindsSchema, "nested_self.nested_self.scalars.renamed"],
  ])("resolves in %s: %s", (message, path) => {
    expect(formatFieldPath(requireFieldPath(message, path))).toBe(path);
  });

  test.each<[message: DescMessage, path: string, advice: string]>([
    [BookSchema, "", 'library.v1.Book has no field ""'],
    [BookSchema, "isbn13", 'library.v1.Book has no field "isbn13"'],
    [BookSchema, "pageCount", 'library.v1.Book has no field "pageCount"'],
    [BookSchema, "author.name", 'library.v1.Author has no field "name"; correct the path "author.name"'],
    [BookSchema, "author.", 'library.v1.Author has no field ""'],
    [BookSchema, "title.x", '"title" in "title.x" is not a singular message'],
    [BookSchema, "copies.number", '"copies" in "copies.number" is not a singular message'],
    [BookSchema, "labels.key", '"labels" in "labels.key" is not a singular message'],
    [BookSchema, "publish_time.seconds", '"publish_time" in "publish_time.seconds" is a single value in JSON'],
    [BookSchema, "rating.value", '"rating" in "rating.value" is a single value in JSON'],
  ])("rejects in %s: %j", (message, path, advice) => {
    expect(() => requireFieldPath(message, path)).toThrow(FieldPathError);
    expect(() => requireFieldPath(message, path)).toThrow(advice);
  });
});

test("finds a field only by its proto name", () => {
  expect(findFieldByProtoName(BookSchema, "page_count")?.jsonName).toBe("pageCount");
  expect(findFieldByProtoName(BookSchema, "pageCount")).toBeUndefined();
});
