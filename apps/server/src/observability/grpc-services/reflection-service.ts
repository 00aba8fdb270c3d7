import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, type ServiceImpl } from "@connectrpc/connect";
import type {
  ServerReflection,
  ServerReflectionRequest,
  ServerReflectionResponseSchema,
} from "../../gen/grpc/reflection/v1/reflection_pb.js";
import type { DescriptorIndex } from "./descriptor-index.js";

type Answer = NonNullable<MessageInitShape<typeof ServerReflectionResponseSchema>["messageResponse"]>;

/**
 * The implementation of grpc.reflection.v1.ServerReflection, and of v1alpha, which differs in nothing but its name.
 *
 * @param services the names that clients see when they list the services.
 */
export function createReflectionService(
  index: DescriptorIndex,
  services: readonly string[],
): ServiceImpl<typeof ServerReflection> {
  return {
    async *serverReflectionInfo(requests) {
      for await (const originalRequest of requests) {
        const messageResponse = answerOf(originalRequest.messageRequest, index, services);
        yield { validHost: originalRequest.host, originalRequest, messageResponse };
      }
    },
  };
}

function answerOf(
  request: ServerReflectionRequest["messageRequest"],
  index: DescriptorIndex,
  services: readonly string[],
): Answer {
  switch (request.case) {
    case "listServices":
      return { case: "listServicesResponse", value: { service: services.map((name) => ({ name })) } };
    case "fileByFilename":
      return filesOr(index.findFile(request.value), `file ${request.value}`);
    case "fileContainingSymbol":
      return filesOr(index.findFileOfSymbol(request.value), `symbol ${request.value}`);
    case "fileContainingExtension": {
      const { containingType, extensionNumber } = request.value;
      const files = index.findFileOfExtension(containingType, extensionNumber);
      return filesOr(files, `extension ${extensionNumber} of ${containingType}`);
    }
    case "allExtensionNumbersOfType": {
      const extensionNumber = index.findExtensionNumbers(request.value);
      if (extensionNumber === undefined) return notFound(`type ${request.value}`);
      return { case: "allExtensionNumbersResponse", value: { baseTypeName: request.value, extensionNumber } };
    }
    default:
      return failure(Code.InvalidArgument, "the request asks for nothing: set message_request");
  }
}

function filesOr(fileDescriptorProto: Uint8Array[] | undefined, what: string): Answer {
  if (fileDescriptorProto === undefined) return notFound(what);
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto } };
}

function notFound(what: string): Answer {
  return failure(Code.NotFound, `${what} not found`);
}

function failure(errorCode: Code, errorMessage: string): Answer {
  return { case: "errorResponse", value: { errorCode, errorMessage } };
}
