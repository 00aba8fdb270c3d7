import { createRegistry, type DescMessage, type JsonValue } from "@bufbuild/protobuf";
import * as wkt from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRequestDecoder } from "../decode/decode-request.js";
import { createMessageEncoder } from "../encode/encode-message.js";
import { AllKindsSchema, ScalarsSchema } from "../gen/library/v1/all_kinds_pb.js";
import { EditionKindsSchema } from "../gen/library/v1/edition_kinds_pb.js";
import { BookSchema } from "../gen/library/v1/library_pb.js";
import { readHttpRules } from "../rules/read-http-rules.js";
import { arbitraryMessage } from "../testing/arbitrary-message.js";
import { buildService, httpPost } from "../testing/build-service.js";
import { createDocument, requireOperation } from "../testing/library-document.js";
import { createSchemaValidator } from "../testing/schema-validator.js";
import type { OpenApiDocument, OpenApiMediaType } from "./openapi-document.js";
import type { JsonOptions } from "./schema-use.js";

const registry = createRegistry(ScalarsSchema);

const FORMS: readonly (readonly [string, JsonOptions])[] = [
  ["ProtoJSON", { registry }],
  ["every field, proto names", { registry, unset: "null", fieldNames: "proto", enums: "lower", strictTypes: true }],
  ["numbers", { registry, enums: "number", int64: "number", timestampDigits: 3, strictTypes: true }],
];

const TYPES: readonly DescMessage[] = [AllKindsSchema, EditionKindsSchema, BookSchema];

const CASES = FORMS.flatMap(([name, json]) => TYPES.map((desc) => [`${desc.name}, ${name}`, desc, json] as const));

function createEcho(desc: DescMessage) {
  return buildService("Echo", { Echo: { input: desc, output: desc, http: httpPost("/echo", "*") } });
}

describe.each(CASES)("rule 22: the schemas of %s", (_name, desc, json) => {
  const service = createEcho(desc);
  const document = createDocument({ json }, [service]);
  const { request, response } = bodiesOf(document);
  const validate = createSchemaValidator(document);
  const encode = createMessageEncoder(desc, json);

  test("accept every response", () => {
    fc.assert(
      fc.property(arbitraryMessage(desc, "response"), (message) => {
        expect(validate(response.schema, JSON.parse(encode(message)))).toBeUndefined();
      }),
      { numRuns: 30 },
    );
  });

  test("accept every response as a request, as the decoder does", () => {
    const decoders = readHttpRules([service]).map((rule) => createRequestDecoder(rule, json));
    fc.assert(
      fc.property(arbitraryMessage(desc, "request"), (message) => {
        const text = encode(message);
        expect(validate(request.schema, JSON.parse(text))).toBeUndefined();
        const bytes = new TextEncoder().encode(text);
        expect(decoders.flatMap((decoder) => decoder.decode([], "", bytes).violations)).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});

/** Returns the JSON bodies of the request and the response of `createEcho`. */
function bodiesOf(document: OpenApiDocument): Record<"request" | "response", OpenApiMediaType> {
  const { requestBody, responses } = requireOperation(document, "echo");
  const response = responses[200];
  const content = response !== undefined && "content" in response ? response.content : undefined;
  const none = { schema: { not: {} } };
  return {
    request: requestBody?.content["application/json"] ?? none,
    response: content?.["application/json"] ?? none,
  };
}

const WELL_KNOWN: readonly DescMessage[] = [
  ...[wkt.AnySchema, wkt.DurationSchema, wkt.EmptySchema, wkt.FieldMaskSchema, wkt.ListValueSchema],
  ...[wkt.StructSchema, wkt.TimestampSchema, wkt.BoolValueSchema, wkt.BytesValueSchema, wkt.DoubleValueSchema],
  ...[wkt.FloatValueSchema, wkt.Int32ValueSchema, wkt.Int64ValueSchema, wkt.StringValueSchema],
  ...[wkt.UInt32ValueSchema, wkt.UInt64ValueSchema, wkt.ValueSchema],
];

test.each(
  FORMS.flatMap(([name, json]) => [...TYPES, ...WELL_KNOWN].map((desc) => [desc.typeName, name, json, desc] as const)),
)("rule 22: the examples of %s, %s, fit its schema and are read", (_type, _name, json, desc) => {
  const service = createEcho(desc);
  const document = createDocument({ json }, [service]);
  const { request, response } = bodiesOf(document);
  const validate = createSchemaValidator(document);
  for (const { schema, example } of [request, response]) {
    expect(example).toBeDefined();
    expect(validate(schema, example as JsonValue)).toBeUndefined();
  }
  const [decoder] = readHttpRules([service]).map((rule) => createRequestDecoder(rule, json));
  const bytes = new TextEncoder().encode(JSON.stringify(request.example));
  expect(decoder?.decode([], "", bytes, { header: () => undefined }).violations).toEqual([]);
});
