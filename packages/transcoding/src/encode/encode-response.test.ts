import { create, createRegistry, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { AnySchema, anyPack, FieldMaskSchema, FileOptionsSchema, StringValueSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { HttpBodySchema } from "../gen/google/api/httpbody_pb.js";
import {
  ChoiceSchema,
  ListsSchema,
  MapsSchema,
  OptionalScalarsSchema,
  ScalarsSchema,
  WellKnownSchema,
  WrappersSchema,
} from "../gen/library/v1/all_kinds_pb.js";
import { EditionKindsSchema } from "../gen/library/v1/edition_kinds_pb.js";
import {
  AuthorSchema,
  BookSchema,
  ListShelvesResponseSchema,
  PutFileRequestSchema,
  ShelfSchema,
} from "../gen/library/v1/library_pb.js";
import { findFieldByProtoName } from "../rules/field-path.js";
import { createMessageEncoder } from "./encode-message.js";
import type { EncodeOptions } from "./encode-options.js";
import { createResponseEncoder } from "./encode-response.js";

type Init = MessageInitShape<DescMessage>;

function encode(desc: DescMessage, init: Init, options: EncodeOptions = {}, body?: string): string {
  const field = body === undefined ? undefined : findFieldByProtoName(desc, body);
  return createResponseEncoder(desc, field, options).encode(create(desc, init));
}

test.each<[DescMessage, Init, body: string | undefined]>([
  [ListShelvesResponseSchema, { shelves: shelves(3001), nextPageToken: "é", totalSize: 7 }, undefined],
  [ListShelvesResponseSchema, { shelves: shelves(2000) }, undefined],
  [ListShelvesResponseSchema, { shelves: shelves(1001) }, "shelves"],
  [ListsSchema, { stringValues: Array(2001).fill('"'), int32Values: [1], bindings: Array(1500).fill(1) }, undefined],
])("encodes a long list of %s while other work proceeds", async (desc, init, body) => {
  let turns = 0;
  let timer = setImmediate(function count() {
    turns++;
    timer = setImmediate(count);
  });
  const field = body === undefined ? undefined : findFieldByProtoName(desc, body);
  const encoder = createResponseEncoder(desc, field, {});
  const message = create(desc, init);
  const encoded = await encoder.encodeLong?.(message);
  clearImmediate(timer);
  expect(Buffer.from(encoded ?? []).toString()).toBe(encoder.encode(message));
  expect(turns).toBeGreaterThan(1);
});

test.each<[DescMessage, Init]>([
  [ListShelvesResponseSchema, { shelves: shelves(1000) }],
  [FieldMaskSchema, { paths: Array(3000).fill("a") }],
])("encodes a %s with a short list or a special JSON form at once", (desc, init) => {
  expect(createResponseEncoder(desc, undefined).encodeLong?.(create(desc, init))).toBeUndefined();
});

function shelves(count: number) {
  return Array.from({ length: count }, (_, n) => ({ name: `shelves/${n}` }));
}

describe("rule 16: JSON options", () => {
  test.each<[EncodeOptions, DescMessage, Init, string]>([
    [{}, ScalarsSchema, {}, "{}"],
    [
      {},
      ScalarsSchema,
      { doubleValue: -0, int64Value: 1n, renamed: "x" },
      '{"doubleValue":-0,"int64Value":"1","otherName":"x"}',
    ],
    [
      {},
      ScalarsSchema,
      { doubleValue: Number.NaN, bytesValue: new Uint8Array([251, 255]) },
      '{"doubleValue":"NaN","bytesValue":"+/8="}',
    ],
    [{}, ScalarsSchema, { stringValue: '"\\\n\u0000\ud800é' }, '{"stringValue":"\\"\\\\\\n\\u0000\\ud800é"}'],
    // The binary encoder and Connect accept numbers and strings for 64-bit integers, so the JSON encoder accepts them as well.
    [{}, ScalarsSchema, { int64Value: 1, uint64Value: "2" }, '{"int64Value":"1","uint64Value":"2"}'],
    [{}, ScalarsSchema, { binding: 2 }, '{"binding":"BINDING_PAPERBACK"}'],
    [{}, ScalarsSchema, { binding: 99 }, '{"binding":99}'],
    [{ fieldNames: "proto" }, ScalarsSchema, { int32Value: 1, renamed: "x" }, '{"int32_value":1,"renamed":"x"}'],
    [{ enums: "lower" }, ScalarsSchema, { binding: 2 }, '{"binding":"paperback"}'],
    [{ enums: "lower" }, ListsSchema, { bindings: [1, 0, 99] }, '{"bindings":["hardcover","unspecified",99]}'],
    [{ enums: "lower" }, MapsSchema, { bindings: { a: -1 } }, '{"bindings":{"a":"lost"}}'],
    [{ enums: "number" }, ScalarsSchema, { binding: 2 }, '{"binding":2}'],
    [{ enums: "number" }, ListsSchema, { bindings: [1, 0, 99] }, '{"bindings":[1,0,99]}'],
    [{ enums: "number" }, ChoiceSchema, { pick: { case: "nullPick", value: 0 } }, '{"nullPick":null}'],
    [
      { int64: "number" },
      ScalarsSchema,
      { int64Value: -9223372036854775808n, uint64Value: 18446744073709551615n, longText: "7" },
      '{"int64Value":-9223372036854775808,"uint64Value":18446744073709551615,"longText":7}',
    ],
    [{ int64: "number" }, WrappersSchema, { int64Value: 5n }, '{"int64Value":5}'],
    [{ int64: "number" }, MapsSchema, { int64Values: { "1": 2n } }, '{"int64Values":{"1":2}}'],
    [{ unset: "null" }, AuthorSchema, {}, '{"fullName":"","birthYear":null}'],
    [{ unset: "null" }, AuthorSchema, { birthYear: 0 }, '{"fullName":"","birthYear":0}'],
    [
      { unset: "null", fieldNames: "proto" },
      ShelfSchema,
      {},
      '{"name":"","theme":"","capacity":null,"create_time":null}',
    ],
    [
      { unset: "null", enums: "lower" },
      ScalarsSchema,
      {},
      expect.stringContaining('"bytesValue":"","binding":"unspecified","longText":"0"'),
    ],
    [{ unset: "null" }, MapsSchema, {}, expect.stringMatching(/^{"stringValues":{},/)],
    [{ unset: "null" }, ListsSchema, {}, expect.stringMatching(/^{"int32Values":\[\],/)],
    [{ unset: "null" }, ChoiceSchema, {}, '{"beside":""}'],
    [{ unset: "null" }, ChoiceSchema, { pick: { case: "int32Pick", value: 0 } }, '{"beside":"","int32Pick":0}'],
    [
      { unset: "null" },
      WellKnownSchema,
      {},
      '{"timestamp":null,"duration":null,"fieldMask":null,"jsonObject":null,"jsonList":null,"anyMessage":null,"nullValue":null}',
    ],
    [
      { unset: "null" },
      WrappersSchema,
      { boolValue: false },
      expect.stringContaining('"uint32Value":null,"boolValue":false'),
    ],
    [
      { unset: "null" },
      EditionKindsSchema,
      { requiredFlag: true },
      expect.stringContaining('"explicitCount":null,"implicitName":""'),
    ],
    [{}, EditionKindsSchema, { requiredFlag: false, explicitCount: 0 }, '{"explicitCount":0,"requiredFlag":false}'],
    [{}, FileOptionsSchema, { optimizeFor: 1 }, '{"optimizeFor":"SPEED"}'],
  ])("%j writes %s", (options, desc, init, json) => {
    expect(encode(desc, init, options)).toEqual(json);
  });

  test("throws for values that have no JSON form", () => {
    expect(() => encode(WellKnownSchema, { timestamp: { seconds: 253402300800n } })).toThrow("years 1 to 9999");
    expect(() => encode(WellKnownSchema, { jsonObject: { a: Number.NaN } })).toThrow("not a JSON number");
    expect(() => encode(WellKnownSchema, { anyMessage: { typeUrl: "x/y" } })).toThrow("x/y is not in the registry");
    expect(() => encode(EditionKindsSchema, {})).toThrow(
      "library.v1.EditionKinds.required_flag is required and not set",
    );
  });

  test.each<[DescMessage, Init]>([
    [ScalarsSchema, { int32Value: "abc" }],
    [ScalarsSchema, { int32Value: "1" }],
    [ScalarsSchema, { int32Value: 1.5 }],
    [ScalarsSchema, { int32Value: Number.NaN }],
    [ScalarsSchema, { int32Value: 2 ** 31 }],
    [ScalarsSchema, { int32Value: 1n }],
    [ScalarsSchema, { uint32Value: -1 }],
    [ScalarsSchema, { fixed32Value: 2 ** 32 }],
    [ScalarsSchema, { int64Value: "x" }],
    [ScalarsSchema, { int64Value: '1","admin":"1' }],
    [ScalarsSchema, { int64Value: 2n ** 63n }],
    [ScalarsSchema, { uint64Value: -1n }],
    [ScalarsSchema, { longText: "1.5" }],
    [ScalarsSchema, { longText: {} }],
    [ScalarsSchema, { doubleValue: "1" }],
    [ScalarsSchema, { floatValue: true }],
    [ScalarsSchema, { floatValue: 1e39 }],
    [ScalarsSchema, { int64Value: 2 ** 53 }],
    [ScalarsSchema, { int64Value: 0.5 }],
    [ScalarsSchema, { boolValue: "false" }],
    [ScalarsSchema, { boolValue: 1 }],
    [ScalarsSchema, { stringValue: 5 }],
    [ScalarsSchema, { stringValue: {} }],
    [ScalarsSchema, { bytesValue: "AA==" }],
    [ScalarsSchema, { binding: "BINDING_LOST" }],
    [ScalarsSchema, { binding: 1.5 }],
    [OptionalScalarsSchema, { int32Value: "abc" }],
    [ListsSchema, { int32Values: 5 }],
    [ListsSchema, { int32Values: "12" }],
    [ListsSchema, { int32Values: [1, undefined] }],
    [ListsSchema, { stringValues: new Set(["x"]) }],
    [MapsSchema, { stringValues: { a: 1 } }],
    [MapsSchema, { stringValues: ["a"] }],
    [MapsSchema, { stringValues: "a" }],
    [MapsSchema, { stringValues: new Map([["a", "b"]]) }],
    [MapsSchema, { int32Values: { x: 1 } }],
    [WrappersSchema, { int32Value: "x" }],
    [WellKnownSchema, { timestamp: { seconds: 1n, nanos: 0.5 } }],
    [WellKnownSchema, { timestamp: { seconds: 1.5 } }],
    [WellKnownSchema, { timestamp: { seconds: "x" } }],
    [WellKnownSchema, { jsonObject: "x" }],
    [WellKnownSchema, { jsonObject: [1] }],
    [WellKnownSchema, { jsonObject: { a: undefined } }],
    [WellKnownSchema, { jsonObject: { a: [() => {}] } }],
    [WellKnownSchema, { jsonObject: { a: 1n } }],
    [WellKnownSchema, { nullValue: "x" }],
  ])("throws for a value of the wrong type in %s: %o", (desc, init) => {
    expect(() => encode(desc, init)).toThrow();
    expect(() => encode(desc, init, { unset: "null" })).toThrow();
  });

  test("names the field and the value in the error", () => {
    const init = { copies: [{ number: 1 }, { number: "two" }] };
    expect(() => encode(BookSchema, init)).toThrow('library.v1.Copy.number cannot be "two"');
    expect(() => encode(WrappersSchema, { int32Value: 1.5 })).toThrow("library.v1.Wrappers.int32_value cannot be 1.5");
  });

  test("applies the options to an Any", () => {
    const registry = createRegistry(AuthorSchema, StringValueSchema);
    const options: EncodeOptions = { registry, unset: "null", fieldNames: "proto" };
    const author = anyPack(AuthorSchema, create(AuthorSchema));
    const text = anyPack(StringValueSchema, create(StringValueSchema, { value: "x" }));
    expect(encode(AnySchema, author, options)).toBe(
      '{"@type":"type.googleapis.com/library.v1.Author","full_name":"","birth_year":null}',
    );
    expect(encode(AnySchema, text, options)).toBe(
      '{"@type":"type.googleapis.com/google.protobuf.StringValue","value":"x"}',
    );
    expect(encode(AnySchema, author, { registry })).toBe('{"@type":"type.googleapis.com/library.v1.Author"}');
  });
});

describe("rule 17: response_body", () => {
  test.each<[string, DescMessage, string, Init, string]>([
    ["a repeated message", BookSchema, "copies", { copies: [{ number: 1 }, {}] }, '[{"number":1},{}]'],
    ["a repeated scalar", BookSchema, "tags", { tags: ["a"] }, '["a"]'],
    ["an empty repeated field", BookSchema, "tags", {}, "[]"],
    ["a map", BookSchema, "labels", { labels: { a: "b", ["__proto__"]: "c" } }, '{"a":"b","__proto__":"c"}'],
    ["an empty map", BookSchema, "labels", {}, "{}"],
    ["a message", BookSchema, "author", { author: { fullName: "A" } }, '{"fullName":"A"}'],
    ["an unset message", BookSchema, "author", {}, "null"],
    ["a string", BookSchema, "title", { title: "A" }, '"A"'],
    ["an empty string", BookSchema, "title", {}, '""'],
    ["an optional scalar, unset", OptionalScalarsSchema, "int32_value", {}, "null"],
    ["a 64-bit integer", ScalarsSchema, "int64_value", {}, '"0"'],
    ["an enum", ScalarsSchema, "binding", { binding: 1 }, '"BINDING_HARDCOVER"'],
    ["a timestamp", BookSchema, "publish_time", { publishTime: { seconds: 1n } }, '"1970-01-01T00:00:01Z"'],
    ["a wrapper", BookSchema, "rating", { rating: 4.5 }, "4.5"],
    ["a field of a oneof", BookSchema, "reader", { lending: { case: "reader", value: "A" } }, '"A"'],
    ["an unset field of a oneof", BookSchema, "due_time", { lending: { case: "reader", value: "A" } }, "null"],
  ])("writes %s", (_, desc, body, init, json) => {
    expect(encode(desc, init, {}, body)).toBe(json);
  });
});

describe("rule 13: google.api.HttpBody", () => {
  const content = { contentType: "image/png", data: new Uint8Array([255]) };
  const field = PutFileRequestSchema.field.content;

  test("is sent raw as the response", () => {
    const { readRaw } = createResponseEncoder(HttpBodySchema, undefined);
    expect(readRaw?.(create(HttpBodySchema, content))).toEqual(content);
  });

  test("is sent raw as the response_body", () => {
    const { readRaw } = createResponseEncoder(PutFileRequestSchema, field);
    expect(readRaw?.(create(PutFileRequestSchema, { content }))).toEqual(content);
    expect(readRaw?.(create(PutFileRequestSchema))).toEqual({ contentType: "", data: new Uint8Array() });
  });

  test.each([{ data: "text" }, { data: 5 }, { contentType: 5 }])(
    "throws for an HttpBody with values of the wrong type: %o",
    (init) => {
      const { readRaw } = createResponseEncoder(HttpBodySchema, undefined);
      expect(() => readRaw?.(create(HttpBodySchema, init as never))).toThrow();
    },
  );

  test("is the only message that is sent raw", () => {
    expect(createResponseEncoder(PutFileRequestSchema, undefined).readRaw).toBeUndefined();
    expect(createResponseEncoder(PutFileRequestSchema, PutFileRequestSchema.field.path).readRaw).toBeUndefined();
  });
});

test.each<[DescMessage, Init, EncodeOptions, string | undefined, string]>([
  [ShelfSchema, { name: "n", etag: '"v1"' }, {}, undefined, '{"name":"n"}'],
  [ShelfSchema, {}, { unset: "null" }, undefined, '{"name":"","theme":"","capacity":null,"createTime":null}'],
  [ListShelvesResponseSchema, { shelves: [{ name: "n", etag: '"v1"' }] }, {}, "shelves", '[{"name":"n"}]'],
])("rule 23: omits fields that are sent as headers from JSON: %#", (desc, init, options, body, text) => {
  expect(encode(desc, init, options, body)).toBe(text);
});

test("rule 23: writes all fields of a message outside a response", () => {
  expect(createMessageEncoder(ShelfSchema)(create(ShelfSchema, { etag: '"v1"' }))).toBe('{"etag":"\\"v1\\""}');
});
