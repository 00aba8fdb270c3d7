import { readFileSync } from "node:fs";
import { type DescService, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { LibraryService } from "../gen/library/v1/library_pb.js";
import { openapi } from "../openapi/openapi.js";
import type { OpenApiDocument, OpenApiOperation } from "../openapi/openapi-document.js";
import type { OpenApiOptions } from "../openapi/openapi-options.js";

export type DocumentOptions = Omit<OpenApiOptions, "info" | "protos">;

/** Creates the OpenAPI document of services, by default of the library API, with the comments in the library's protos. */
export function createDocument(
  options: DocumentOptions = {},
  services: readonly DescService[] = [LibraryService],
): OpenApiDocument {
  return openapi(services, { info: { title: "Library", version: "1" }, protos: readLibraryProtos(), ...options });
}

/** Returns all operations in a document, keyed by operation id. */
export function mapOperationsById(document: OpenApiDocument): ReadonlyMap<string, OpenApiOperation> {
  const operations = Object.values(document.paths).flatMap(({ "x-additional-operations": more = {}, ...item }) => [
    ...Object.values(item),
    ...Object.values(more),
  ]);
  return new Map(operations.map((operation) => [operation.operationId, operation]));
}

/** Throws an Error if the document has no operation with this id. */
export function requireOperation(document: OpenApiDocument, id: string): OpenApiOperation {
  const operation = mapOperationsById(document).get(id);
  if (operation === undefined) throw new Error(`there is no operation ${id}`);
  return operation;
}

function readLibraryProtos() {
  return fromBinary(FileDescriptorSetSchema, readFileSync(new URL("../../descriptors.binpb", import.meta.url)));
}
