import { create, createRegistry, type DescMessage, toJson } from "@bufbuild/protobuf";
import {
  FieldDescriptorProtoSchema,
  TimestampSchema,
  timestampFromMs,
  UninterpretedOptionSchema,
} from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRequestDecoder } from "../decode/decode-request.js";
import { AllKindsSchema, MapsSchema, ScalarsSchema } from "../gen/library/v1/all_kinds_pb.js";
import { EditionKindsSchema } from "../gen/library/v1/edition_kinds_pb.js";
import { arbitraryMessage } from "../testing/arbitrary-message.js";
import { createTestRule } from "../testing/test-rule.js";
import { createMessageEncoder } from "./encode-message.js";
import type { EncodeOptions } from "./encode-options.js";

const registry = createRegistry(ScalarsSchema);

const types: readonly [string, DescMessage][] = [
  ["proto3", AllKindsSchema],
  ["proto2", FieldDescriptorProtoSchema],
  ["proto2 with required fields", UninterpretedOptionSchema],
  ["editions", EditionKindsSchema],
];

describe.each(types)("rule 16: JSON of arbitrary messages of %s", (_, desc) => {
  it.each(["json", "proto"] as const)("is equivalent to the JSON of protobuf-es, with %s names", (fieldNames) => {
    const encode = createMessageEncoder(desc, { registry, fieldNames });
    const options = { registry, useProtoFieldName: fieldNames === "proto" };
    fc.assert(
      fc.property(arbitraryMessage(desc), (message) => {
        expect(JSON.parse(encode(message))).toEqual(toJson(desc, message, options));
      }),
    );
  });

  const variants: readonly EncodeOptions[] = [
    {},
    { enums: "number", int64: "number", timestampDigits: 3 },
    { fieldNames: "proto", unset: "null", enums: "lower" },
  ];
  it.each(variants)("decodes to the same message: %j", (options) => {
    const encode = createMessageEncoder(desc, { ...options, registry });
    const decoder = createRequestDecoder(createTestRule({ input: desc, body: "*" }), { registry });
    const bytes = new TextEncoder();
    fc.assert(
      fc.property(arbitraryMessage(desc), (message) => {
        const decoded = decoder.decode([], "", bytes.encode(encode(message)));
        expect(decoded.violations).toEqual([]);
        expect(decoded.message).toEqual(message);
      }),
    );
  });
});

describe("rule 16: 64-bit integers as numbers", () => {
  const encode = createMessageEncoder(ScalarsSchema, { int64: "number" });

  it.each([0n, 1n, -1n, 2n ** 63n - 1n, -(2n ** 63n)])("are written with all digits: %s", (value) => {
    expect(encode(create(ScalarsSchema, { int64Value: value }))).toBe(value === 0n ? "{}" : `{"int64Value":${value}}`);
  });

  it("are strings as keys of maps", () => {
    const message = create(MapsSchema, { int64Values: { "7": 8n } });
    expect(createMessageEncoder(MapsSchema, { int64: "number" })(message)).toBe('{"int64Values":{"7":8}}');
  });
});

describe("rule 16: timestamps with a fraction", () => {
  it.each([
    [0, "2006-01-02T15:04:05.000Z"],
    [120_000_000, "2006-01-02T15:04:05.120Z"],
    [120_000, "2006-01-02T15:04:05.000120Z"],
    [1, "2006-01-02T15:04:05.000000001Z"],
  ])("have at least three digits: %d ns", (nanos, text) => {
    const timestamp = { ...timestampFromMs(Date.parse("2006-01-02T15:04:05Z")), nanos };
    expect(createMessageEncoder(TimestampSchema, { timestampDigits: 3 })(timestamp)).toBe(`"${text}"`);
  });
});
