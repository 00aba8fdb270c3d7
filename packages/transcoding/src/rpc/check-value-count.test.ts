import { type DescMessage, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import fc from "fast-check";
import { expect, test } from "vitest";
import { AllKindsSchema, ListsSchema, MapsSchema, ScalarsSchema } from "../gen/library/v1/all_kinds_pb.js";
import { EditionKindsSchema } from "../gen/library/v1/edition_kinds_pb.js";
import { MAX_MESSAGE_VALUES } from "../http/body-errors.js";
import { arbitraryMessage } from "../testing/arbitrary-message.js";
import { checkValueCount } from "./check-value-count.js";

/** An unknown field that makes a message large enough to be checked. */
const PADDING = record(1000, Buffer.alloc(MAX_MESSAGE_VALUES));

function record(number: number, content: Uint8Array): Uint8Array {
  return new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(content).finish();
}

function repeat(count: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat(Array<Uint8Array>(count).fill(bytes));
}

function tag(number: number, wireType: WireType): Uint8Array {
  return new BinaryWriter().tag(number, wireType).finish();
}

const EMPTY = new Uint8Array();
/** The number of a field that the message type does not have. */
const UNKNOWN_GROUP = [tag(500, WireType.StartGroup), tag(500, WireType.EndGroup)];
const ROW_GROUP = [tag(5, WireType.StartGroup), tag(5, WireType.EndGroup)];

test.each<[kind: string, desc: DescMessage, field: string, content: (count: number) => Uint8Array]>([
  ["empty messages", ListsSchema, "choices", (count) => repeat(count, record(8, EMPTY))],
  ["packed integers", ListsSchema, "int64_values", (count) => record(2, Buffer.alloc(count))],
  ["packed doubles", ListsSchema, "double_values", (count) => record(3, Buffer.alloc(count * 8))],
  ["nested items", AllKindsSchema, "lists", (count) => record(3, repeat(count, record(5, EMPTY)))],
  ["map entries", MapsSchema, "choices", (count) => repeat(count, record(6, EMPTY))],
  ["repeated map values", MapsSchema, "choices", (count) => record(6, repeat(count, record(2, EMPTY)))],
  ["repeated singular fields", AllKindsSchema, "nested_self", (count) => repeat(count, record(8, EMPTY))],
  ["groups", EditionKindsSchema, "rows", (count) => repeat(count, Buffer.concat(ROW_GROUP))],
  ["unknown fields", AllKindsSchema, "", (count) => repeat(count, record(500, EMPTY))],
  ["unknown groups", AllKindsSchema, "", (count) => repeat(count, Buffer.concat(UNKNOWN_GROUP))],
])("accepts %s up to the limit and rejects more", (_, desc, field, content) => {
  const check = (bytes: Uint8Array) => checkValueCount(desc, Buffer.concat([bytes, PADDING]));
  const tooMany = `${field} exceeds the limit of ${MAX_MESSAGE_VALUES} values in a request`.trimStart();
  expect(() => check(content(MAX_MESSAGE_VALUES - 10))).not.toThrow();
  expect(() => check(content(MAX_MESSAGE_VALUES + 1))).toThrow(expect.objectContaining({ reason: "FIELD_INVALID" }));
  expect(() => check(content(MAX_MESSAGE_VALUES + 1))).toThrow(tooMany);
});

test("accepts fields of every kind", () => {
  for (const desc of [AllKindsSchema, EditionKindsSchema] as readonly DescMessage[]) {
    fc.assert(
      fc.property(arbitraryMessage(desc), (message) => {
        checkValueCount(desc, Buffer.concat([toBinary(desc, message), PADDING]));
      }),
    );
  }
});

test.each<[problem: string, bytes: Uint8Array]>([
  ["a string that hides fields after an integer", Buffer.concat([tag(3, WireType.LengthDelimited), PADDING])],
  ["an integer in a string field", Buffer.concat([tag(14, WireType.Varint), Buffer.of(0), PADDING])],
  ["a truncated field", PADDING.subarray(0, -1)],
  ["an end of a group that did not begin", Buffer.concat([PADDING, tag(500, WireType.EndGroup)])],
  ["too many levels", Buffer.concat([PADDING, repeat(200, tag(500, WireType.StartGroup))])],
])("rejects %s in a large message", (_, bytes) => {
  expect(() => checkValueCount(ScalarsSchema, bytes)).toThrow(expect.objectContaining({ reason: "BODY_MALFORMED" }));
});
