import { create, isMessage, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import { toWellFormed } from "./well-formed.js";

test("replaces unpaired surrogates in messages, lists and maps, and changes nothing else", () => {
  const bytes = new Uint8Array([0xed, 0xa0, 0x80]);
  const value = { a: "\ud800", list: ["x", { b: "\udc00y" }], "\ud800": 1n, bytes, none: undefined, nothing: null };
  const expected = { a: "\ufffd", list: ["x", { b: "\ufffdy" }], "\ufffd": 1n, bytes, none: undefined, nothing: null };
  expect(toWellFormed(value)).toEqual(expected);
  expect(toWellFormed(value).bytes).toBe(bytes);
});

test("keeps a message encodable", () => {
  const message = toWellFormed(create(ErrorInfoSchema, { reason: "\ud800", metadata: { "\ud800": "\udfff" } }));
  expect(isMessage(message, ErrorInfoSchema)).toBe(true);
  expect(message.metadata).toEqual({ "\ufffd": "\ufffd" });
  expect(toBinary(ErrorInfoSchema, message)).toBeInstanceOf(Uint8Array);
});
