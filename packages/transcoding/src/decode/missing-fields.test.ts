import { create, createFileRegistry, type DescMessage } from "@bufbuild/protobuf";
import {
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { listMissingRequiredFields } from "./missing-fields.js";

const file = create(FileDescriptorProtoSchema, {
  name: "test.proto",
  package: "test",
  syntax: "proto2",
  messageType: [
    { name: "Part", field: [{ name: "id", number: 1, type: Type.STRING, label: Label.REQUIRED }] },
    {
      name: "Whole",
      field: [
        { name: "title", number: 1, type: Type.STRING, label: Label.REQUIRED },
        { name: "part", number: 2, type: Type.MESSAGE, typeName: ".test.Part", label: Label.OPTIONAL },
        { name: "parts", number: 3, type: Type.MESSAGE, typeName: ".test.Part", label: Label.REPEATED },
      ],
    },
  ],
});
const whole = createFileRegistry(file, () => undefined).getMessage("test.Whole") as DescMessage;

test.each([
  [{}, ["title"]],
  [{ title: "" }, []],
  [{ title: "a", part: {} }, ["part.id"]],
  [{ part: { id: "1" }, parts: [{ id: "1" }, {}] }, ["title", "parts[1].id"]],
])("lists the unset required fields of %j, including those in nested messages: %j", (init, fields) => {
  expect(listMissingRequiredFields(whole, create(whole, init as never))).toEqual(fields);
});
