import { createRegistry, type DescMessage, toJson } from "@bufbuild/protobuf";
import { FieldDescriptorProtoSchema, UninterpretedOptionSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRequestDecoder } from "../decode/decode-request.js";
import { AllKindsSchema, ScalarsSchema } from "../gen/library/v1/all_kinds_pb.js";
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

describe.each(types)("rule 16: JSON of any message of %s", (_, desc) => {
  it("means what protobuf-es writes", () => {
    const encode = createMessageEncoder(desc, { registry });
    fc.assert(
      fc.property(arbitraryMessage(desc), (message) => {
        expect(JSON.parse(encode(message))).toEqual(toJson(desc, message, { registry }));
      }),
    );
  });

  it("means what protobuf-es writes with proto names", () => {
    const encode = createMessageEncoder(desc, { registry, fieldNames: "proto" });
    fc.assert(
      fc.property(arbitraryMessage(desc), (message) => {
        expect(JSON.parse(encode(message))).toEqual(toJson(desc, message, { registry, useProtoFieldName: true }));
      }),
    );
  });

  const variants: readonly EncodeOptions[] = [
    {},
    { fieldNames: "proto" },
    { unset: "null" },
    { enums: "lower" },
    { fieldNames: "proto", unset: "null", enums: "lower" },
  ];
  it.each(variants)("is read back as the same message: %j", (options) => {
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
