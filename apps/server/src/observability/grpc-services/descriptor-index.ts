import { type DescFile, type DescService, toBinary } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

/** The descriptors of a server's services, as reflection clients look for them. */
export interface DescriptorIndex {
  /** The file of this name and all that it imports, each serialized; undefined if there is none. */
  findFile(name: string): Uint8Array[] | undefined;
  /** The file that declares this message, enum, service, method, field or extension, with its imports. */
  findFileOfSymbol(symbol: string): Uint8Array[] | undefined;
  /** The file that declares the extension of a message by its number, with its imports. */
  findFileOfExtension(messageName: string, number: number): Uint8Array[] | undefined;
  /** The numbers of all extensions of a message; undefined if there is no such message. */
  findExtensionNumbers(messageName: string): number[] | undefined;
}

/** Indexes the files of the services and everything that they import. */
export function createDescriptorIndex(services: readonly DescService[]): DescriptorIndex {
  const files = new Map<string, DescFile>();
  for (const service of services) addFile(files, service.file);
  const symbols = new Map<string, DescFile>();
  const extensions = new Map<string, Map<number, DescFile>>();
  for (const file of files.values()) indexSymbols(file, symbols, extensions);
  return {
    findFile: (name) => withImports(files.get(name)),
    findFileOfSymbol: (symbol) => withImports(symbols.get(symbol)),
    findFileOfExtension: (messageName, number) => withImports(extensions.get(messageName)?.get(number)),
    findExtensionNumbers(messageName) {
      if (!symbols.has(messageName)) return undefined;
      return [...(extensions.get(messageName)?.keys() ?? [])];
    },
  };
}

function addFile(files: Map<string, DescFile>, file: DescFile): void {
  if (files.has(file.proto.name)) return;
  files.set(file.proto.name, file);
  for (const dependency of file.dependencies) addFile(files, dependency);
}

function indexSymbols(
  file: DescFile,
  symbols: Map<string, DescFile>,
  extensions: Map<string, Map<number, DescFile>>,
): void {
  for (const type of nestedTypes(file)) {
    symbols.set(type.typeName, file);
    if (type.kind === "message") for (const field of type.fields) symbols.set(`${type.typeName}.${field.name}`, file);
    if (type.kind === "service")
      for (const method of type.methods) symbols.set(`${type.typeName}.${method.name}`, file);
    if (type.kind === "extension") {
      const ofMessage = extensions.get(type.extendee.typeName) ?? new Map<number, DescFile>();
      extensions.set(type.extendee.typeName, ofMessage.set(type.number, file));
    }
  }
}

function withImports(file: DescFile | undefined): Uint8Array[] | undefined {
  if (file === undefined) return undefined;
  const files = new Map<string, DescFile>();
  addFile(files, file);
  return [...files.values()].map((each) => toBinary(FileDescriptorProtoSchema, each.proto));
}
