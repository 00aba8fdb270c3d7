import { create, createFileRegistry, type DescEnum } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { getEnumNumbersByName, listDocumentedEnumNames, spellEnumValue } from "./enum-spelling.js";

function createEnum(name: string, values: Readonly<Record<string, number>>): DescEnum {
  const value = Object.entries(values).map(([name, number]) => ({ name, number }));
  const file = create(FileDescriptorProtoSchema, { name: "a.proto", syntax: "proto3", enumType: [{ name, value }] });
  const desc = createFileRegistry(create(FileDescriptorSetSchema, { file: [file] })).getEnum(name);
  if (desc === undefined) throw new Error("no enum");
  return desc;
}

describe("rule 16: the names of enum values", () => {
  const kind = createEnum("BookKind", {
    BOOK_KIND_UNSPECIFIED: 0,
    BOOK_KIND_NOVEL: 1,
    BOOK_KIND_ROMAN: 1,
    BOOK_KIND_MAP: 2,
  });
  const bare = createEnum("BookKind", { NOVEL: 0, MAP: 1 });
  const twins = createEnum("Kind", { KIND_MAP: 0, KIND_Map: 1, KIND_BOOK: 2 });
  const foreign = createEnum("Kind", { MAP: 0, map: 1 });

  test.each<[string, DescEnum, readonly string[]]>([
    ["without the prefix", kind, ["novel", "roman", "map"]],
    ["unchanged if they have no prefix", bare, ["novel", "map"]],
    ["in full if the short name is ambiguous", twins, ["KIND_MAP", "KIND_Map", "book"]],
    ["in full if the short name is another value's", foreign, ["MAP", "map"]],
  ])("are documented %s", (_, desc, names) => {
    expect(listDocumentedEnumNames(desc, "lower")).toEqual(names);
    expect(names.map((name) => getEnumNumbersByName(desc).get(name))).toEqual(
      names.map((_, index) => desc.values[index + desc.values.length - names.length]?.number),
    );
  });

  test("are documented in full", () => {
    expect(listDocumentedEnumNames(kind, "full")).toEqual(["BOOK_KIND_NOVEL", "BOOK_KIND_ROMAN", "BOOK_KIND_MAP"]);
  });

  test("are parsed to the same number in either spelling", () => {
    for (const desc of [kind, bare, twins, foreign]) {
      for (const value of desc.values) {
        expect(getEnumNumbersByName(desc).get(spellEnumValue(value, "lower"))).toBe(value.number);
        expect(getEnumNumbersByName(desc).get(spellEnumValue(value, "full"))).toBe(value.number);
      }
    }
  });

  test("are case-sensitive", () => {
    expect(["Novel", "book_kind_novel", ""].map((name) => getEnumNumbersByName(kind).get(name))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
