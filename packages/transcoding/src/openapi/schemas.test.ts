import { createRegistry, type DescMessage, type JsonValue } from "@bufbuild/protobuf";
import {
  AnySchema,
  BoolValueSchema,
  BytesValueSchema,
  DoubleValueSchema,
  DurationSchema,
  EmptySchema,
  FieldMaskSchema,
  FloatValueSchema,
  Int32ValueSchema,
  Int64ValueSchema,
  ListValueSchema,
  StringValueSchema,
  StructSchema,
  TimestampSchema,
  UInt32ValueSchema,
  UInt64ValueSchema,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRequestDecoder } from "../decode/decode-request.js";
import { createMessageEncoder } from "../encode/encode-message.js";
import { AllKindsSchema, ScalarsSchema } from "../gen/library/v1/all_kinds_pb.js";
import { EditionKindsSchema } from "../gen/library/v1/edition_kinds_pb.js";
import { BookSchema } from "../gen/library/v1/library_pb.js";
import { readHttpRules } from "../rules/read-http-rules.js";
import { arbitraryMessage } from "../testing/arbitrary-message.js";
import { buildService, post } from "../testing/build-service.js";
import { createDocument } from "../testing/library-document.js";
import { createSchemaValidator } from "../testing/schema-validator.js";
import type { Schema } from "./schema.js";
import type { JsonForm } from "./schema-use.js";

const registry = createRegistry(ScalarsSchema);

const FORMS: readonly (readonly [string, JsonForm])[] = [
  ["ProtoJSON", { registry }],
  ["every field, proto names", { registry, unset: "null", fieldNames: "proto", enums: "lower", strictTypes: true }],
  ["numbers", { registry, enums: "number", int64: "number", timestampDigits: 3, strictTypes: true }],
];

const TYPES: readonly DescMessage[] = [AllKindsSchema, EditionKindsSchema, BookSchema];

const CASES = FORMS.flatMap(([name, json]) => TYPES.map((desc) => [`${desc.name}, ${name}`, desc, json] as const));

function createEcho(desc: DescMessage) {
  return buildService("Echo", { Echo: { input: desc, output: desc, http: post("/echo", "*") } });
}

describe.each(CASES)("rule 22: the schemas of %s", (_name, desc, json) => {
  const service = createEcho(desc);
  const document = createDocument({ json }, [service]);
  const operation = document.paths["/echo"]?.post;
  const response = operation?.responses[200];
  const validate = createSchemaValidator(document);
  const encode = createMessageEncoder(desc, json);

  test("accept every response", () => {
    const { schema } = (response && "content" in response && response.content?.["application/json"]) || NONE;
    fc.assert(
      fc.property(arbitraryMessage(desc, "response"), (message) => {
        expect(validate(schema, JSON.parse(encode(message)))).toBeUndefined();
      }),
    );
  });

  test("accept every response as a request, as the decoder does", () => {
    const { schema } = operation?.requestBody?.content["application/json"] ?? NONE;
    const decoders = readHttpRules([service]).map((rule) => createRequestDecoder(rule, json));
    fc.assert(
      fc.property(arbitraryMessage(desc, "request"), (message) => {
        const text = encode(message);
        expect(validate(schema, JSON.parse(text))).toBeUndefined();
        const bytes = new TextEncoder().encode(text);
        expect(decoders.flatMap((decoder) => decoder.decode([], "", bytes).violations)).toEqual([]);
      }),
    );
  });
});

const NONE: { readonly schema: Schema; readonly example?: JsonValue } = { schema: { not: {} } };

const WELL_KNOWN: readonly DescMessage[] = [
  ...[AnySchema, DurationSchema, EmptySchema, FieldMaskSchema, ListValueSchema, StructSchema, TimestampSchema],
  ...[BoolValueSchema, BytesValueSchema, DoubleValueSchema, FloatValueSchema, Int32ValueSchema, Int64ValueSchema],
  ...[StringValueSchema, UInt32ValueSchema, UInt64ValueSchema, ValueSchema],
];

test.each(
  FORMS.flatMap(([name, json]) => [...TYPES, ...WELL_KNOWN].map((desc) => [desc.typeName, name, json, desc] as const)),
)("rule 22: the examples of %s, %s, fit its schema and are read", (_type, _name, json, desc) => {
  const service = createEcho(desc);
  const document = createDocument({ json }, [service]);
  const { requestBody, responses } = document.paths["/echo"]?.post ?? {};
  const validate = createSchemaValidator(document);
  const response = responses?.[200];
  const body: typeof NONE = requestBody?.content["application/json"] ?? NONE;
  const bodies: readonly (typeof NONE)[] = [
    body,
    (response && "content" in response && response.content?.["application/json"]) || NONE,
  ];
  for (const { schema, example } of bodies) {
    expect(example).toBeDefined();
    expect(validate(schema, example as JsonValue)).toBeUndefined();
  }
  const [decoder] = readHttpRules([service]).map((rule) => createRequestDecoder(rule, json));
  const bytes = new TextEncoder().encode(JSON.stringify(body.example));
  expect(decoder?.decode([], "", bytes, { header: () => undefined }).violations).toEqual([]);
});
