import { create, createFileRegistry, type DescFile, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { type FieldDescriptorProtoSchema, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

type TestField = Omit<MessageInitShape<typeof FieldDescriptorProtoSchema>, "number" | "$typeName">;

/**
 * Builds message types in the package `test` without a compiler, so that tests can use invalid fields.
 *
 * @param imports the files that declare the types of the fields.
 */
export function buildMessages(
  messages: Readonly<Record<string, readonly TestField[]>>,
  imports: readonly DescFile[] = [],
): DescMessage[] {
  const messageType = Object.entries(messages).map(([name, fields]) => ({
    name,
    field: fields.map((field, index) => ({ jsonName: field.name ?? "", ...field, number: index + 1 })),
  }));
  const file = create(FileDescriptorProtoSchema, {
    name: "test.proto",
    package: "test",
    syntax: "proto3",
    dependency: imports.map(({ proto }) => proto.name),
    messageType,
  });
  const registry = createFileRegistry(file, (name) => imports.find(({ proto }) => proto.name === name));
  return Object.keys(messages).map((name) => registry.getMessage(`test.${name}`) as DescMessage);
}
