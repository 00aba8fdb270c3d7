import {
  create,
  createRegistry,
  type DescMessage,
  fromBinary,
  fromJson,
  fromJsonString,
  type JsonValue,
  type Message,
  type MessageInitShape,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { type Any, anyUnpack, FileOptionsSchema, StructSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  AllKindsSchema,
  ChoiceSchema,
  ListsSchema,
  MapsSchema,
  OptionalScalarsSchema,
  type Scalars,
  ScalarsSchema,
  type WellKnown,
  WellKnownSchema,
  WrappersSchema,
} from "../gen/library/v1/all_kinds_pb.js";
import { EditionKindsSchema, RowSchema } from "../gen/library/v1/edition_kinds_pb.js";
import { decodeBody } from "../testing/decode.js";

const INT32_TYPE = "must be an integer from -2147483648 to 2147483647";
const UINT32 = "must be an integer from 0 to 4294967295";
const INT64 = "must be an integer from -9223372036854775808 to 9223372036854775807";
const UINT64 = "must be an integer from 0 to 18446744073709551615";
const BINDINGS = "BINDING_HARDCOVER, BINDING_PAPERBACK, BINDING_SOFTCOVER, BINDING_LOST";
const FIELD_MASK =
  "must be field names separated by commas, and not names such as foo_2_bar, which have no lowerCamelCase form";
const SHORT_BINDINGS = "hardcover, paperback, softcover, lost";

describe("rule 11: decodes valid ProtoJSON", () => {
  test.each<[DescMessage, string]>([
    [ScalarsSchema, '{"doubleValue": 1.5, "float_value": -2, "int32Value": 3, "int64_value": "4"}'],
    [ScalarsSchema, '{"doubleValue": "NaN", "floatValue": "-Infinity"}'],
    [ScalarsSchema, '{"doubleValue": "1e3", "floatValue": "0.5", "int32Value": "7", "uint32Value": "4294967295"}'],
    [ScalarsSchema, '{"int32Value": 1e2, "sint32Value": -5.0, "fixed32Value": 0, "sfixed32Value": -2147483648}'],
    [ScalarsSchema, '{"uint64Value": "18446744073709551615", "sint64Value": "-9223372036854775808"}'],
    [ScalarsSchema, '{"boolValue": true, "stringValue": "\\u0000 é 😀", "bytesValue": "+/8="}'],
    [ScalarsSchema, '{"bytesValue": "-_8"}'],
    [ScalarsSchema, '{"binding": "BINDING_PAPERBACK", "longText": "-12", "otherName": "x"}'],
    [ScalarsSchema, '{"binding": "BINDING_SOFTCOVER", "renamed": "x"}'],
    [ScalarsSchema, '{"binding": -1}'],
    [ScalarsSchema, '{"binding": 99}'],
    [OptionalScalarsSchema, '{"doubleValue": 0, "int32Value": 0, "int64Value": "0", "boolValue": false}'],
    [OptionalScalarsSchema, '{"stringValue": "", "bytesValue": "", "binding": "BINDING_UNSPECIFIED"}'],
    [OptionalScalarsSchema, '{"stringValue": null, "binding": null}'],
    [ListsSchema, '{"int32Values": [1, "2"], "bindings": ["BINDING_LOST", 1], "choices": [{}, {"beside": "x"}]}'],
    [ListsSchema, '{"jsonValues": [null, 1, {"a": [null]}], "nulls": [null], "structs": [{"a": {}}], "wrappers": [0]}'],
    [ListsSchema, '{"timestamps": ["2026-01-02T03:04:05.123456789Z"], "stringValues": null}'],
    [MapsSchema, '{"stringValues": {"": "", "a.b": "x"}, "int32Values": {"-1": 1}, "bytesValues": {"true": "AA=="}}'],
    [MapsSchema, '{"int64Values": {"9223372036854775807": "1"}, "choices": {"a": {"stringPick": ""}}}'],
    [MapsSchema, '{"jsonValues": {"a": null}, "wrappers": {"1": "x"}, "structs": {"a": {"b": 1}}}'],
    [ChoiceSchema, '{"beside": "x", "wrapperPick": false}'],
    [ChoiceSchema, '{"int32Pick": null, "stringPick": "x"}'],
    [ChoiceSchema, '{"nullPick": null}'],
    [ChoiceSchema, '{"jsonPick": null}'],
    [ChoiceSchema, '{"structPick": {"a": 1}}'],
    [WellKnownSchema, '{"timestamp": "2026-02-28T23:59:59+01:30", "duration": "-1.5s", "fieldMask": "a.bC,d"}'],
    [WellKnownSchema, '{"jsonObject": {"a": [1, "x", true, null, {}]}, "jsonValue": null, "jsonList": [1]}'],
    [WellKnownSchema, '{"anyMessage": {}}'],
    [
      WrappersSchema,
      '{"doubleValue": 0, "int64Value": "1", "boolValue": false, "stringValue": "", "bytesValue": "AA=="}',
    ],
    [WrappersSchema, '{"doubleValue": null, "uint32Value": 7}'],
    [AllKindsSchema, '{"nestedSelf": {"nestedSelf": {"scalars": {"int32Value": 1}}}}'],
    [EditionKindsSchema, '{"explicitCount": 0, "row": {"number": 1}, "rows": [{}], "placeRow": {}, "shelving": 2}'],
    [FileOptionsSchema, '{"optimizeFor": "SPEED", "javaPackage": ""}'],
  ])("of %s: %s", (desc, body) => {
    expect(decodeBody(desc, body)).toEqual({ message: fromJsonString(desc, body), violations: [] });
  });

  test("keeps 64-bit integers exact, even if written as numbers", () => {
    const body =
      '{"int64Value": -9223372036854775808, "uint64Value": 1.8446744073709551615e19, "longText": 9007199254740993}';
    expect(decodeBody(ScalarsSchema, body)).toEqual({
      message: create(ScalarsSchema, {
        int64Value: -(2n ** 63n),
        uint64Value: 2n ** 64n - 1n,
        longText: "9007199254740993",
      }),
      violations: [],
    });
  });

  test.each(["3.4028235e38", "3.4028235e+38", "340282350000000000000000000000000000000", '"3.4028235e38"'])(
    "accepts a float that rounds to the largest float: %s",
    (number) => {
      const largest = 2 ** 128 - 2 ** 104;
      for (const [text, floatValue] of [
        [number, largest],
        [number.replace(/\d/, "-$&"), -largest],
      ] as const) {
        const decoded = decodeBody(ScalarsSchema, `{"floatValue": ${text}}`);
        expect(decoded).toEqual({ message: create(ScalarsSchema, { floatValue }), violations: [] });
        expect(fromBinary(ScalarsSchema, toBinary(ScalarsSchema, decoded.message as Scalars))).toEqual(decoded.message);
      }
    },
  );

  test.each(["null", '"NULL_VALUE"', "0"])("accepts a NullValue written as %s", (json) => {
    const nullPick = create(ChoiceSchema, { pick: { case: "nullPick", value: 0 } });
    expect(decodeBody(ChoiceSchema, `{"nullPick": ${json}}`)).toEqual({ message: nullPick, violations: [] });
    const nulls = create(ListsSchema, { nulls: [0, 0] });
    expect(decodeBody(ListsSchema, `{"nulls": [${json}, null]}`)).toEqual({ message: nulls, violations: [] });
  });

  test.each(["hardcover", "paperback", "softcover", "lost", "unspecified"])(
    "accepts the short name of an enum value: %s",
    (name) => {
      const body = `{"binding": "BINDING_${name.toUpperCase()}"}`;
      expect(decodeBody(ScalarsSchema, `{"binding": "${name}"}`).message).toEqual(fromJsonString(ScalarsSchema, body));
    },
  );

  test("treats special JavaScript property names as plain keys of maps and structs", () => {
    const { message } = decodeBody(
      AllKindsSchema,
      '{"maps": {"stringValues": {"__proto__": "x", "constructor": "y"}}}',
    );
    expect(JSON.stringify(message)).toContain('"stringValues":{"__proto__":"x","constructor":"y"}');
    const struct = decodeBody(WellKnownSchema, '{"jsonObject": {"__proto__": {"polluted": true}}}');
    expect(JSON.stringify(struct.message)).toContain('{"__proto__":{"polluted":true}}');
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    expect(decodeBody(ScalarsSchema, '{"__proto__": 1, "constructor": 1}').violations).toHaveLength(2);
  });

  test.each(["page_count", "foo2Bar", "foo2_bar", "_foo", "Foo", "a.b1", "*", "x.y2.zA"])(
    "reads a field mask that it can write: %s",
    (path) => {
      const { message } = decodeBody(WellKnownSchema, JSON.stringify({ fieldMask: path }));
      expect(() => toJson(WellKnownSchema, message as WellKnown)).not.toThrow();
    },
  );

  test("accepts proto names in a field mask", () => {
    const { message } = decodeBody(WellKnownSchema, '{"fieldMask": "page_count,author.fullName,*"}');
    expect((message as WellKnown).fieldMask?.paths).toEqual(["page_count", "author.full_name", "*"]);
  });

  test("decodes a body that is a well-known type", () => {
    const body = '{"a": [1, null]}';
    expect(decodeBody(StructSchema, body)).toEqual({ message: fromJsonString(StructSchema, body), violations: [] });
  });
});

describe("rule 11: arbitrary JSON", () => {
  const scalars = fc.constantFrom<JsonValue[]>(
    ...[null, true, 0, 1, 1.5, -1, 2 ** 31, 1e39, "", "1", "1e2", "1.5", "x", "true", "NaN", "AA==", "AA"],
    ...["BINDING_LOST", "2026-01-02T03:04:05Z", "1.5s", "a,bC", [], [null], {}, { a: null }, { "1": 1 }, { true: "" }],
  );
  const values = fc.oneof(
    scalars,
    fc.array(scalars, { maxLength: 3 }),
    fc.jsonValue({ maxDepth: 2 }) as typeof scalars,
  );

  /** Integers that protobuf-es rounds to the nearest double. The decoder under test reads all digits. */
  const isRounded = (value: unknown) => Number.isInteger(value) && !Number.isSafeInteger(value);

  test.each([
    ScalarsSchema,
    OptionalScalarsSchema,
    ListsSchema,
    MapsSchema,
    ChoiceSchema,
    WellKnownSchema,
    WrappersSchema,
  ])("as %s decodes as in protobuf-es, if both accept it", (desc) => {
    const names = fc.constantFrom(...desc.fields.flatMap((field) => [field.name, field.jsonName]));
    fc.assert(
      fc.property(fc.dictionary(names, values, { minKeys: 1, maxKeys: 3, noNullPrototype: true }), (json) => {
        const body = JSON.stringify(json, (_, value) => (isRounded(value) ? 0 : value));
        const { message, violations } = decodeBody(desc, body);
        const other = readWithProtobuf(desc, body);
        if (violations.length === 0 && other !== undefined) {
          expect(message).toEqual(other);
        }
      }),
      { numRuns: 500 },
    );
  });
});

function readWithProtobuf(desc: DescMessage, body: string): Message | undefined {
  try {
    return fromJson(desc, JSON.parse(body));
  } catch {
    return undefined;
  }
}

describe("rule 11: reports violations", () => {
  test.each<[DescMessage, string, ...string[]]>([
    [ScalarsSchema, '{"int32Value": "x"}', "int32_value: must be an integer"],
    [ScalarsSchema, '{"int32Value": ""}', "int32_value: must be an integer"],
    [ScalarsSchema, '{"int32Value": " 1"}', "int32_value: must be an integer"],
    [ScalarsSchema, '{"int32Value": "0x10"}', "int32_value: must be an integer"],
    [ScalarsSchema, '{"int32Value": 1.5}', `int32_value: ${INT32_TYPE}`],
    [ScalarsSchema, '{"int32Value": 1.00000000000000000001}', `int32_value: ${INT32_TYPE}`],
    [ScalarsSchema, '{"int32Value": 2147483648}', `int32_value: ${INT32_TYPE}`],
    [ScalarsSchema, '{"int32Value": 1e400}', `int32_value: ${INT32_TYPE}`],
    [ScalarsSchema, '{"uint32Value": -1}', `uint32_value: ${UINT32}`],
    [ScalarsSchema, '{"int64Value": 9223372036854775808}', `int64_value: ${INT64}`],
    [ScalarsSchema, '{"int64Value": "1.5"}', `int64_value: ${INT64}`],
    [ScalarsSchema, '{"int64Value": 1e1000000}', `int64_value: ${INT64}`],
    [ScalarsSchema, '{"uint64Value": "-1"}', `uint64_value: ${UINT64}`],
    [ScalarsSchema, '{"int64Value": true}', "int64_value: must be an integer, not a boolean"],
    [ScalarsSchema, '{"doubleValue": 1e400}', "double_value: must be a number in the range of a double"],
    [ScalarsSchema, '{"floatValue": 1e39}', "float_value: must be a number in the range of a float"],
    [ScalarsSchema, '{"doubleValue": "1,5"}', "double_value: must be a number"],
    [ScalarsSchema, '{"doubleValue": []}', "double_value: must be a number, not an array"],
    [ScalarsSchema, '{"boolValue": "true"}', "bool_value: must be true or false, not a string"],
    [ScalarsSchema, '{"boolValue": 1}', "bool_value: must be true or false, not a number"],
    [ScalarsSchema, '{"stringValue": 1}', "string_value: must be a string, not a number"],
    [ScalarsSchema, '{"bytesValue": "a"}', "bytes_value: must be base64"],
    [ScalarsSchema, '{"bytesValue": "a b="}', "bytes_value: must be base64"],
    [ScalarsSchema, '{"bytesValue": {}}', "bytes_value: must be base64, not an object"],
    [ScalarsSchema, '{"binding": "Hardcover"}', `binding: must be one of ${BINDINGS}`],
    [ScalarsSchema, '{"binding": 1.5}', `binding: ${INT32_TYPE}`],
    [ScalarsSchema, '{"binding": true}', `binding: must be a string, not a boolean: one of ${BINDINGS}`],
    [EditionKindsSchema, '{"shelving": 3}', "shelving: must be one of SHELVING_OPEN, SHELVING_STACK"],
    [
      WellKnownSchema,
      '{"timestamp": "2026-02-30T00:00:00Z"}',
      "timestamp: must be an RFC 3339 timestamp such as 2006-01-02T15:04:05Z",
    ],
    [WellKnownSchema, '{"duration": 1}', "duration: must be a duration in seconds such as 1.5s, not a number"],
    ...["a,,b", "foo_2_bar", "a,foo_2", "foo__bar", "foo_", "foo_Bar", "author.full_1_name"].map(
      (mask) =>
        [WellKnownSchema, JSON.stringify({ fieldMask: mask }), `field_mask: ${FIELD_MASK}`] as [
          DescMessage,
          string,
          string,
        ],
    ),
    [WellKnownSchema, '{"fieldMask": {"paths": ["a"]}}', `field_mask: ${FIELD_MASK}, not an object`],
    [WellKnownSchema, '{"jsonObject": []}', "json_object: must be an object, not an array"],
    [
      WellKnownSchema,
      '{"jsonObject": {"a": [0, 1e400]}}',
      'json_object["a"][1]: must be a number in the range of a double',
    ],
    [WellKnownSchema, '{"jsonValue": {"a": 1, "a": 2}}', 'json_value["a"]: is given twice'],
    [WellKnownSchema, '{"jsonList": {}}', "json_list: must be in the ProtoJSON form of google.protobuf.ListValue"],
    [WellKnownSchema, '{"nullValue": 1}', "null_value: must be null"],
    [WellKnownSchema, '{"nullValue": "NULL"}', "null_value: must be null"],
    [WellKnownSchema, '{"nullValue": false}', "null_value: must be null, not a boolean"],
    [ScalarsSchema, '{"floatValue": 3.4028235677973366e38}', "float_value: must be a number in the range of a float"],
    [ScalarsSchema, '{"floatValue": "-3.4028236e38"}', "float_value: must be a number"],
    [WrappersSchema, '{"int32Value": {"value": 1}}', "int32_value: must be an integer, not an object"],
    [ListsSchema, '{"int32Values": 1}', "int32_values: must be an array, not a number"],
    [
      ListsSchema,
      '{"int32Values": [1, null, "x"]}',
      "int32_values[1]: must be a value, not null",
      "int32_values[2]: must be an integer",
    ],
    [ListsSchema, '{"choices": [{}, {"beside": 1}]}', "choices[1].beside: must be a string, not a number"],
    [ListsSchema, '{"choices": [[]]}', "choices[0]: must be an object, not an array"],
    [ListsSchema, '{"bindings": ["x"]}', `bindings[0]: must be one of ${BINDINGS}`],
    [MapsSchema, '{"stringValues": []}', "string_values: must be an object, not an array"],
    [MapsSchema, '{"stringValues": {"a": null}}', 'string_values["a"]: must be a value, not null'],
    [MapsSchema, '{"stringValues": {"a": "", "\\u0061": ""}}', 'string_values["a"]: is given twice'],
    [MapsSchema, '{"int32Values": {"01": 1}}', `int32_values["01"]: has an invalid key, which ${INT32_TYPE}`],
    [MapsSchema, '{"bytesValues": {"1": ""}}', 'bytes_values["1"]: has an invalid key, which must be true or false'],
    [MapsSchema, '{"choices": {"a": {"int32Pick": "x"}}}', 'choices["a"].int32_pick: must be an integer'],
    [ChoiceSchema, '{"int32Pick": 1, "stringPick": ""}', "string_pick: cannot be given together with int32_pick"],
    [ChoiceSchema, '{"scalarsPick": {}, "jsonPick": null}', "json_pick: cannot be given together with scalars_pick"],
    [
      AllKindsSchema,
      '{"nestedSelf": {"scalars": {"int32Value": {}}}}',
      "nested_self.scalars.int32_value: must be an integer, not an object",
    ],
  ])("of %s: %s", (desc, body, ...violations) => {
    expect(decodeBody(desc, body).violations).toEqual(violations);
  });

  test("collects all violations and keeps the valid fields", () => {
    const body = '{"int32Value": "x", "stringValue": "kept", "boolValue": 0, "extra": 1}';
    const { message, violations } = decodeBody(ScalarsSchema, body);
    expect(message).toEqual(create(ScalarsSchema, { stringValue: "kept" }));
    expect(violations).toHaveLength(3);
  });

  test("reports at most 100 violations", () => {
    const body = `{"int32Values": [${Array(500).fill("{}").join(",")}]}`;
    expect(decodeBody(ListsSchema, body).violations).toHaveLength(100);
  });

  test("rejects more than 50 000 values", () => {
    const body = `{"int32Values": [${Array(50_001).fill(0)}]}`;
    expect(() => decodeBody(ListsSchema, body)).toThrow("int32_values exceeds the limit of 50000 values in a request");
  });

  test("rejects malformed JSON after a violation", () => {
    expect(() => decodeBody(ScalarsSchema, '{"int32Value": tru}')).toThrow("expected a value at line 1, column 16");
    expect(() => decodeBody(ScalarsSchema, '{"extra": [1,]}')).toThrow("expected a value at line 1, column 14");
  });
});

describe("rule 11: unknown fields", () => {
  const ROW = "the fields are: number";
  test.each<[DescMessage, string, string]>([
    [RowSchema, '{"name": 1}', `name: is an unknown field; ${ROW}`],
    [RowSchema, '{"": 1}', `"": is an unknown field; ${ROW}`],
    [RowSchema, '{" ": 1}', `" ": is an unknown field; ${ROW}`],
    [RowSchema, '{"numbr": [{"a": 1}]}', "numbr: is an unknown field; did you mean number? The fields are: number"],
    [RowSchema, '{"Number": 1}', "Number: is an unknown field; did you mean number? The fields are: number"],
    [EditionKindsSchema, '{"rows": [{"a": 1}]}', `rows[0].a: is an unknown field; ${ROW}`],
    [RowSchema, `{"${"x".repeat(200)}": 1}`, `${"x".repeat(100)}…: is an unknown field; ${ROW}`],
    [RowSchema, '{"[library.v1.extension]": 1}', `[library.v1.extension]: is an unknown field; ${ROW}`],
  ])("are rejected in %s: %s", (desc, body, violation) => {
    expect(decodeBody(desc, body).violations).toEqual([violation]);
  });

  test("are ignored with unknownFields: ignore", () => {
    const body = '{"a": {"b": [1, "x"]}, "number": 2, "a": null}';
    expect(decodeBody(RowSchema, body, { unknownFields: "ignore" })).toEqual({
      message: create(RowSchema, { number: 2 }),
      violations: [],
    });
  });
});

describe("rule 11: rejects duplicate keys", () => {
  test.each<[DescMessage, string, string]>([
    [RowSchema, '{"number": 1, "number": 1}', "number: is given twice"],
    [RowSchema, '{"number": 1, "\\u006eumber": 2}', "number: is given twice"],
    [ScalarsSchema, '{"int32_value": 1, "int32Value": 1}', "int32_value: is given twice"],
    [ScalarsSchema, '{"otherName": "", "renamed": ""}', "renamed: is given twice"],
    [ScalarsSchema, '{"int32Value": null, "int32Value": 1}', "int32_value: is given twice"],
    [ListsSchema, '{"stringValues": ["a"], "string_values": []}', "string_values: is given twice"],
  ])("of %s: %s", (desc, body, violation) => {
    expect(decodeBody(desc, body).violations).toEqual([violation]);
  });
});

describe("rule 11: with strictTypes", () => {
  test("rejects a NullValue written as a number", () => {
    expect(decodeBody(WellKnownSchema, '{"nullValue": 0}', { strictTypes: true }).violations).toEqual([
      "null_value: must be null, not a number",
    ]);
  });

  test.each<[string, ...string[]]>([
    ['{"int32Value": "1"}', "int32_value: must be an integer, not a string"],
    ['{"uint32Value": "1"}', "uint32_value: must be an integer, not a string"],
    ['{"doubleValue": "1"}', "double_value: must be a number, not a string"],
    ['{"floatValue": "NaN"}', "float_value: must be a number, not a string"],
    ['{"binding": 1}', `binding: must be a string, not a number: one of ${SHORT_BINDINGS}`],
    ['{"binding": "Lost"}', `binding: must be one of ${SHORT_BINDINGS}`],
    ['{"int64Value": "1", "uint64Value": 1, "binding": "lost", "int32Value": 1.0, "doubleValue": 1}'],
    ['{"binding": "BINDING_LOST"}'],
  ])("%s", (body, ...violations) => {
    expect(decodeBody(ScalarsSchema, body, { strictTypes: true, enums: "lower" }).violations).toEqual(violations);
  });
});

describe("rule 11: with enums: number", () => {
  test.each<[string, boolean, ...string[]]>([
    ['{"binding": 2}', true],
    ['{"binding": 2}', false],
    ['{"binding": "BINDING_LOST"}', false],
    ['{"binding": "lost"}', true, "binding: must be an integer, not a string: one of 1, 2, -1"],
    ['{"binding": "x"}', false, "binding: must be one of 1, 2, -1"],
    ['{"binding": true}', false, "binding: must be an integer, not a boolean: one of 1, 2, -1"],
  ])("%s with strictTypes %j", (body, strictTypes, ...violations) => {
    expect(decodeBody(ScalarsSchema, body, { strictTypes, enums: "number" }).violations).toEqual(violations);
  });
});

describe("rule 11: rejects NUL characters with refuseNul", () => {
  const NUL = "must not contain a NUL character";
  test.each<[DescMessage, string, string]>([
    [ScalarsSchema, '{"stringValue": "a\\u0000"}', `string_value: ${NUL}`],
    [ListsSchema, '{"stringValues": ["", "\\u0000"]}', `string_values[1]: ${NUL}`],
    [WrappersSchema, '{"stringValue": "\\u0000"}', `string_value: ${NUL}`],
    [MapsSchema, '{"stringValues": {"\\u0000": ""}}', `string_values["\0"]: has an invalid key, which ${NUL}`],
    [WellKnownSchema, '{"jsonObject": {"a": "\\u0000"}}', `json_object["a"]: ${NUL}`],
    [WellKnownSchema, '{"jsonObject": {"\\u0000": 1}}', `json_object["\0"]: ${NUL}`],
  ])("of %s: %s", (desc, body, violation) => {
    expect(decodeBody(desc, body, { refuseNul: true }).violations).toEqual([violation]);
    expect(decodeBody(desc, body).violations).toEqual([]);
  });
});

describe("rule 11: google.protobuf.Any", () => {
  const MALFORMED_TYPE = 'any_message: must have an "@type" such as type.googleapis.com/package.Message';
  const registry = createRegistry(ScalarsSchema, WrappersSchema, EditionKindsSchema, StructSchema);
  const decodeAny = (any: string) => decodeBody(WellKnownSchema, `{"anyMessage": ${any}}`, { registry });

  test.each<[DescMessage, string, MessageInitShape<DescMessage>]>([
    [
      ScalarsSchema,
      '{"int64Value": 9007199254740993, "@type": "x/library.v1.Scalars"}',
      { int64Value: 9007199254740993n },
    ],
    [ScalarsSchema, '{"@type": "type.googleapis.com/library.v1.Scalars"}', {}],
    [StructSchema, '{"@type": "x/google.protobuf.Struct", "value": {}}', {}],
  ])("decodes %s: %s", (desc, any, init) => {
    const { message, violations } = decodeAny(any);
    expect(violations).toEqual([]);
    expect(anyUnpack((message as WellKnown).anyMessage as Any, registry)).toEqual(create(desc, init));
  });

  test.each([
    (list: string) => `{"@type": "x/google.protobuf.Struct", "value": {"list": ${list}}}`,
    (list: string) => `{"value": {"list": ${list}}, "@type": "x/google.protobuf.Struct"}`,
  ])("counts each value once toward the maximum number of values: %#", (toAny) => {
    const decodeZeros = (count: number) => decodeAny(toAny(`[${Array(count).fill(0)}]`));
    expect(decodeZeros(49_996).violations).toEqual([]);
    expect(() => decodeZeros(49_997)).toThrow("any_message exceeds the limit of 50000 values in a request");
  });

  test.each<[string, (content: string) => string, boolean]>([
    [
      "accepts a nested Any whose type comes first",
      (any) => `{"@type": "x/library.v1.WellKnown", "anyMessage": ${any}}`,
      true,
    ],
    ["limits how often values are read", (any) => `{"anyMessage": ${any}, "@type": "x/library.v1.WellKnown"}`, false],
  ])("%s", (_, nest, isAccepted) => {
    const types = createRegistry(WellKnownSchema, StructSchema);
    const struct = `{"@type": "x/google.protobuf.Struct", "value": {"list": [${Array(20_000).fill(0)}]}}`;
    const body = `{"anyMessage": ${nest(nest(nest(nest(struct))))}}`;
    const decode = () => decodeBody(WellKnownSchema, body, { registry: types }).violations;
    if (isAccepted) expect(decode()).toEqual([]);
    else expect(decode).toThrow("any_message exceeds the limit of 50000 values in a request");
  });

  test.each([
    ['{"@type": "x/library.v1.Nothing"}', 'any_message: must have an "@type" that this API supports'],
    ['{"@type": "x/.library.v1.Scalars"}', 'any_message: must have an "@type" that this API supports'],
    ['{"int64Value": 1}', MALFORMED_TYPE],
    ['{"@type": 1}', MALFORMED_TYPE],
    ['{"@type": null}', MALFORMED_TYPE],
    ['{"@type": ""}', MALFORMED_TYPE],
    ['{"@type": "library.v1.Scalars"}', MALFORMED_TYPE],
    ['{"@type": "x/library.v1.Scalars/"}', MALFORMED_TYPE],
    ['{"@type": "/"}', MALFORMED_TYPE],
    ['{"@type": "x/library.v1.Scalars", "@type": "x/library.v1.Scalars"}', "any_message.@type: is given twice"],
    ["[]", "any_message: must be an object, not an array"],
    [
      '{"@type": "x/library.v1.Scalars", "boolValue": 1}',
      "any_message.bool_value: must be true or false, not a number",
    ],
    ['{"@type": "x/library.v1.Scalars", "@type": ""}', "any_message.@type: is given twice"],
    ['{"@type": "", "@type": "x/library.v1.Scalars"}', MALFORMED_TYPE],
    ['{"@type": "x/library.v1.EditionKinds"}', "any_message: must have its required fields: add required_flag"],
    ['{"@type": "x/google.protobuf.Struct"}', 'any_message: must have a member "value" next to "@type"'],
    [
      '{"@type": "x/google.protobuf.Struct", "value": {}, "b": 1}',
      "any_message.b: is an unknown field; the fields are: value",
    ],
  ])("rejects %s", (any, violation) => {
    expect(decodeAny(any).violations).toEqual([violation]);
  });
});
