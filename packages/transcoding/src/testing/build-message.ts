import { create, createFileRegistry, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { type FieldDescriptorProtoSchema, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

type TestField = Omit<MessageInitShape<typeof FieldDescriptorProtoSchema>, "number" | "$typeName">;

/** Builds message types of the package `test` without a compiler, so that tests can use invalid fields. */
export function buildMessages(messages: Readonly<Record<string, readonly TestField[]>>): DescMessage[] {
  const messageType = Object.entries(messages).map(([name, fields]) => ({
    name,
    field: fields.map((field, index) => ({ jsonName: field.name ?? "", ...field, number: index + 1 })),
  }));
  const file = create(FileDescriptorProtoSchema, {
    name: "test.proto",
    package: "test",
    syntax: "proto3",
    messageType,
  });
  const registry = createFileRegistry(file, () => undefined);
  return Object.keys(messages).map((name) => registry.getMessage(`test.${name}`) as DescMessage);
}
