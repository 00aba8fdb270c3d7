import {
  createRegistry,
  type DescFile,
  type DescService,
  type MessageInitShape,
  type Registry,
  toBinary,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, type ServiceImpl } from "@connectrpc/connect";
import type {
  ServerReflection,
  ServerReflectionRequest,
  ServerReflectionResponseSchema,
} from "../../gen/grpc/reflection/v1/reflection_pb.js";

type Answer = NonNullable<MessageInitShape<typeof ServerReflectionResponseSchema>["messageResponse"]>;

/**
 * The implementation of grpc.reflection.v1.ServerReflection, and of v1alpha, which differs in nothing but its name.
 *
 * @param services those that clients see: their files and everything that these import can be asked for.
 */
export function createReflectionService(services: readonly DescService[]): ServiceImpl<typeof ServerReflection> {
  const files = new Set<DescFile>();
  for (const { file } of services) addWithImports(file, files);
  const registry = createRegistry(...files);
  return {
    async *serverReflectionInfo(requests) {
      for await (const originalRequest of requests) {
        const messageResponse = answerOf(originalRequest.messageRequest, services, files, registry);
        yield { validHost: originalRequest.host, originalRequest, messageResponse };
      }
    },
  };
}

function answerOf(
  request: ServerReflectionRequest["messageRequest"],
  services: readonly DescService[],
  files: ReadonlySet<DescFile>,
  registry: Registry,
): Answer {
  switch (request.case) {
    case "listServices":
      return {
        case: "listServicesResponse",
        value: { service: services.map(({ typeName }) => ({ name: typeName })) },
      };
    case "fileByFilename":
      return fileOr(
        [...files].find(({ proto }) => proto.name === request.value),
        `file ${request.value}`,
      );
    case "fileContainingSymbol":
      return fileOr(findFileOfSymbol(registry, request.value), `symbol ${request.value}`);
    case "fileContainingExtension": {
      const { containingType, extensionNumber } = request.value;
      const message = registry.getMessage(containingType);
      const extension = message && registry.getExtensionFor(message, extensionNumber);
      return fileOr(extension?.file, `extension ${extensionNumber} of ${containingType}`);
    }
    case "allExtensionNumbersOfType": {
      const baseTypeName = request.value;
      if (registry.getMessage(baseTypeName) === undefined) return notFound(`type ${baseTypeName}`);
      const extensions = [...registry].filter((type) => type.kind === "extension");
      const extensionNumber = extensions
        .filter(({ extendee }) => extendee.typeName === baseTypeName)
        .map(({ number }) => number);
      return { case: "allExtensionNumbersResponse", value: { baseTypeName, extensionNumber } };
    }
    default:
      return failure(Code.InvalidArgument, "the request asks for nothing: set message_request");
  }
}

/** The file that declares a message, enum, service or extension, or the field or method of one. */
function findFileOfSymbol(registry: Registry, symbol: string): DescFile | undefined {
  const dot = symbol.lastIndexOf(".");
  const [parent, name] = [registry.get(symbol.slice(0, dot)), symbol.slice(dot + 1)];
  const members = parent?.kind === "message" ? parent.fields : parent?.kind === "service" ? parent.methods : [];
  return (registry.get(symbol) ?? (members.some((member) => member.name === name) ? parent : undefined))?.file;
}

function addWithImports(file: DescFile, files: Set<DescFile>): Set<DescFile> {
  if (files.has(file)) return files;
  files.add(file);
  for (const dependency of file.dependencies) addWithImports(dependency, files);
  return files;
}

function fileOr(file: DescFile | undefined, what: string): Answer {
  if (file === undefined) return notFound(what);
  const fileDescriptorProto = Array.from(addWithImports(file, new Set()), ({ proto }) =>
    toBinary(FileDescriptorProtoSchema, proto),
  );
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto } };
}

function notFound(what: string): Answer {
  return failure(Code.NotFound, `${what} not found`);
}

function failure(errorCode: Code, errorMessage: string): Answer {
  return { case: "errorResponse", value: { errorCode, errorMessage } };
}
