import {
  createRegistry,
  type DescFile,
  type DescService,
  type MessageInitShape,
  type Registry,
  toBinary,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { file_google_rpc_error_details } from "@calltrack/domain/gen/google/rpc/error_details_pb";
import { file_google_rpc_status } from "@calltrack/domain/gen/google/rpc/status_pb";
import { Code, type ServiceImpl } from "@connectrpc/connect";
import type {
  ServerReflection,
  ServerReflectionRequest,
  ServerReflectionResponseSchema,
} from "../../gen/grpc/reflection/v1/reflection_pb.js";

type Answer = NonNullable<MessageInitShape<typeof ServerReflectionResponseSchema>["messageResponse"]>;

/**
 * Creates the implementation of grpc.reflection.v1.ServerReflection. It also implements v1alpha, which differs only in its package name.
 *
 * @param services the services that clients can list. Clients can request the proto files that define these services and the error
 *   details, and all files that those files import.
 */
export function createReflectionService(services: readonly DescService[]): ServiceImpl<typeof ServerReflection> {
  const files = new Set<DescFile>();
  for (const { file } of services) addWithImports(file, files);
  for (const file of [file_google_rpc_status, file_google_rpc_error_details]) addWithImports(file, files);
  const registry = createRegistry(...files);
  return {
    async *serverReflectionInfo(requests) {
      for await (const originalRequest of requests) {
        const messageResponse = createAnswer(originalRequest.messageRequest, services, files, registry);
        yield { validHost: originalRequest.host, originalRequest, messageResponse };
      }
    },
  };
}

function createAnswer(
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
      return fileAnswer(
        [...files].find(({ proto }) => proto.name === request.value),
        `file ${request.value}`,
      );
    case "fileContainingSymbol":
      return fileAnswer(findFileOfSymbol(registry, request.value), `symbol ${request.value}`);
    case "fileContainingExtension": {
      const { containingType, extensionNumber } = request.value;
      const message = registry.getMessage(containingType);
      const extension = message && registry.getExtensionFor(message, extensionNumber);
      return fileAnswer(extension?.file, `extension ${extensionNumber} of ${containingType}`);
    }
    case "allExtensionNumbersOfType": {
      const baseTypeName = request.value;
      if (registry.getMessage(baseTypeName) === undefined) return notFound(`type ${baseTypeName}`);
      const extensionNumber = [...registry].flatMap((type) =>
        type.kind === "extension" && type.extendee.typeName === baseTypeName ? type.number : [],
      );
      return { case: "allExtensionNumbersResponse", value: { baseTypeName, extensionNumber } };
    }
    default:
      return failure(Code.InvalidArgument, "the request is empty: set one of the fields of message_request");
  }
}

/** Finds the proto file that declares a message, enum, service, extension, field or method. */
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

function fileAnswer(file: DescFile | undefined, what: string): Answer {
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
