import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { type SourceAliasSchema, UpdateSourceAliasesRequestSchema } from "./gen/calltracking/v1/traffic_pb.js";
import { applySourceAliases, parseUpdateSourceAliasesRequest } from "./source-alias.js";
import { violationsOf } from "./testing/broken-request.js";

type Alias = MessageInitShape<typeof SourceAliasSchema>;

function parse(...aliases: Alias[]) {
  return parseUpdateSourceAliasesRequest(create(UpdateSourceAliasesRequestSchema, { accountId: "acme", aliases }))
    .aliases;
}

const LOCAL = { source: "google", medium: "local" };

describe("aliases", () => {
  test.each([
    ["gmb", "organic", "google / local"],
    ["gbp", "(not set)", "google / local"],
    ["fb", "cpc", "facebook / cpc"],
    ["google", "cpc", "google / cpc"],
    ["constructor", "x", "constructor / x"],
    ["self", "x", "self / local"],
  ])("%s / %s is %s, also if they are applied again", (source, medium, expected) => {
    const aliases = parse(
      { name: " GMB ", ...LOCAL },
      { name: "gbp", ...LOCAL },
      { name: "fb", source: "Facebook" },
      { name: "self", source: "self", medium: "local" },
    );
    const named = applySourceAliases(aliases, { source, medium });
    expect(`${named.source} / ${named.medium}`).toBe(expected);
    expect(applySourceAliases(aliases, named)).toEqual(named);
  });

  test("keep an absent medium", () => {
    expect(applySourceAliases(parse({ name: "fb", source: "facebook" }), { source: "fb", medium: undefined })).toEqual({
      ...{ source: "facebook", medium: undefined },
    });
  });

  test("can be 200 or none", () => {
    const many = Array.from({ length: 200 }, (_, index) => ({ name: `a${index}`, source: "b" }));
    expect(parse(...many).size).toBe(200);
    expect(parse().size).toBe(0);
  });

  test.each<[name: string, aliases: Alias[], fields: string[]]>([
    ["more than 200", Array.from({ length: 201 }, (_, index) => ({ name: `a${index}`, source: "b" })), ["aliases"]],
    ["without fields", [{}], ["aliases[0].name", "aliases[0].source"]],
    ["an empty name", [{ name: " ", source: "b" }], ["aliases[0].name"]],
    ["control characters", [{ name: "a\n", source: "b", medium: "\u0000" }], ["aliases[0].name", "aliases[0].medium"]],
    [
      "two of one name",
      [
        { name: "a", source: "b" },
        { name: "A", source: "c" },
      ],
      ["aliases[1].name"],
    ],
    [
      "a chain",
      [
        { name: "a", source: "b" },
        { name: "b", source: "c" },
      ],
      ["aliases[0].source"],
    ],
    [
      "a circle",
      [
        { name: "a", source: "b" },
        { name: "b", source: "a" },
      ],
      ["aliases[0].source", "aliases[1].source"],
    ],
    ["itself", [{ name: "a", source: "A" }], ["aliases[0].source"]],
  ])("are refused: %s", (_, aliases, fields) => {
    expect(violationsOf(() => parse(...aliases)).map(({ field }) => field)).toEqual(fields);
  });
});
