import { create, type DescField, type JsonValue, setExtension } from "@bufbuild/protobuf";
import {
  FieldOptionsSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { BindingSchema } from "../gen/library/v1/all_kinds_pb.js";
import { example as exampleOption } from "../gen/transcoding/v1/example_pb.js";
import { buildMessages } from "../testing/build-message.js";
import { findFieldExample } from "./field-example.js";

/** Builds a field with an example. `type` is a scalar type, or the name of a message or enum. */
function buildField(type: Type | string, example: string, label = Label.OPTIONAL): DescField {
  const options = create(FieldOptionsSchema);
  setExtension(options, exampleOption, example);
  const named = typeof type === "string" && {
    type: type.endsWith("Binding") ? Type.ENUM : Type.MESSAGE,
    typeName: type,
  };
  const it = { name: "it", label, options, ...(named || { type: type as Type }) };
  const imports = [BindingSchema.file, ...BindingSchema.file.dependencies];
  return buildMessages({ Test: [it] }, imports)[0]?.fields[0] as DescField;
}

describe("rule 22: the example of a field", () => {
  test.each<[type: Type | string, text: string, value: JsonValue]>([
    [Type.STRING, "0.5", "0.5"],
    [Type.INT32, "-7", -7],
    [Type.UINT64, "7", "7"],
    [Type.DOUBLE, "0.5", 0.5],
    [Type.BOOL, "false", false],
    [Type.BYTES, "AAE=", "AAE="],
    [".library.v1.Binding", "BINDING_SOFTCOVER", "paperback"],
    [".library.v1.Binding", "hardcover", "hardcover"],
    [".google.protobuf.Timestamp", "2006-01-02T15:04:05Z", "2006-01-02T15:04:05Z"],
    [".google.protobuf.Int32Value", "7", 7],
    [".google.protobuf.BoolValue", "true", true],
  ])("of type %s is the JSON of %s", (type, text, value) => {
    expect(findFieldExample(buildField(type, text), { enums: "lower" })).toEqual(value);
  });

  test("is a number with int64: number", () => {
    const numbers = { enums: "number", int64: "number" } as const;
    expect(findFieldExample(buildField(".library.v1.Binding", "BINDING_SOFTCOVER"), numbers)).toBe(2);
    expect(findFieldExample(buildField(Type.UINT64, "7"), numbers)).toBe(7);
    expect(findFieldExample(buildField(".google.protobuf.Int64Value", "7"), numbers)).toBe(7);
  });

  test("is the item of a list", () => {
    expect(findFieldExample(buildField(Type.INT32, "7", Label.REPEATED), {})).toEqual([7]);
  });

  test("is undefined if it is empty", () => {
    expect(findFieldExample(buildField(Type.STRING, ""), {})).toBeUndefined();
  });

  test.each<[type: Type | string, text: string]>([
    [Type.INT32, "seven"],
    [Type.INT32, "0.5"],
    [Type.UINT32, "-1"],
    [Type.BOOL, "yes"],
    [Type.DOUBLE, "1,5"],
    [".library.v1.Binding", "LEATHER"],
  ])("of type %s is rejected if it is %s", (type, text) => {
    expect(() => findFieldExample(buildField(type, text), {})).toThrow(
      `Test.it: example "${text}" is not a valid value of the field`,
    );
  });
});
