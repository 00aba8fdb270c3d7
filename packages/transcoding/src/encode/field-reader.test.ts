import { create, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { ListsSchema, OptionalScalarsSchema, ScalarsSchema, WellKnownSchema } from "../gen/library/v1/all_kinds_pb.js";
import { BookSchema, UpdateBookRequestSchema } from "../gen/library/v1/library_pb.js";
import { createFieldReader } from "./field-reader.js";

describe("rule 18: a response field as text", () => {
  test.each<[DescMessage, string, MessageInitShape<DescMessage>, string | undefined]>([
    [BookSchema, "title", { title: 'a "b"\n' }, 'a "b"\n'],
    [BookSchema, "title", {}, undefined],
    [UpdateBookRequestSchema, "book.author.full_name", { book: { author: { fullName: "A" } } }, "A"],
    [UpdateBookRequestSchema, "book.author.full_name", {}, undefined],
    [ScalarsSchema, "int32_value", {}, "0"],
    [ScalarsSchema, "int64_value", { int64Value: -1n }, "-1"],
    [ScalarsSchema, "long_text", { longText: "5" }, "5"],
    [ScalarsSchema, "double_value", { doubleValue: Number.NaN }, "NaN"],
    [ScalarsSchema, "bool_value", {}, "false"],
    [ScalarsSchema, "bytes_value", { bytesValue: new Uint8Array([255]) }, "/w=="],
    [ScalarsSchema, "bytes_value", {}, undefined],
    [ScalarsSchema, "binding", { binding: 2 }, "paperback"],
    [OptionalScalarsSchema, "int32_value", {}, undefined],
    [OptionalScalarsSchema, "int32_value", { int32Value: 0 }, "0"],
    [WellKnownSchema, "timestamp", { timestamp: {} }, "1970-01-01T00:00:00Z"],
    [WellKnownSchema, "duration", {}, undefined],
    [BookSchema, "rating", { rating: 1.5 }, "1.5"],
    [BookSchema, "reader", { lending: { case: "reader", value: "A" } }, "A"],
  ])("reads %s %s of %o", (desc, path, init, text) => {
    expect(createFieldReader(desc, path, { enums: "lower" })(create(desc, init))).toBe(text);
  });

  test.each<[DescMessage, string, string]>([
    [BookSchema, "author", "library.v1.Book: author cannot be written as a single string"],
    [BookSchema, "labels", "labels cannot be written as a single string"],
    [ListsSchema, "string_values", "string_values cannot be written as a single string"],
    [WellKnownSchema, "json_value", "json_value cannot be written as a single string"],
    [BookSchema, "nothing", "nothing"],
    [BookSchema, "tags.x", "tags"],
    [BookSchema, "", "library.v1.Book"],
  ])("throws for %s %s", (desc, path, message) => {
    expect(() => createFieldReader(desc, path)).toThrow(message);
  });
});
