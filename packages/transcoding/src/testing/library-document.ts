import { readFileSync } from "node:fs";
import { type DescService, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { LibraryService } from "../gen/library/v1/library_pb.js";
import { openapi } from "../openapi/openapi.js";
import type { OpenApiDocument, OpenApiOperation } from "../openapi/openapi-document.js";
import type { OpenApiOptions } from "../openapi/openapi-options.js";

/** What a test says of a document. */
export type DocumentOptions = Omit<OpenApiOptions, "info" | "protos">;

/** Describes services of the library API, or of a test's own, with the comments of the library's protos. */
export function createDocument(
  options: DocumentOptions = {},
  services: readonly DescService[] = [LibraryService],
): OpenApiDocument {
  return openapi(services, { info: { title: "Library", version: "1" }, protos: readLibraryProtos(), ...options });
}

/** All operations of a document by their ids. */
export function operationsOf(document: OpenApiDocument): ReadonlyMap<string, OpenApiOperation> {
  const operations = Object.values(document.paths).flatMap(({ "x-additional-operations": more = {}, ...item }) => [
    ...Object.values(item),
    ...Object.values(more),
  ]);
  return new Map(operations.map((operation) => [operation.operationId, operation]));
}

/** The operation of this id. Throws an Error where the document has none. */
export function requireOperation(document: OpenApiDocument, id: string): OpenApiOperation {
  const operation = operationsOf(document).get(id);
  if (operation === undefined) throw new Error(`there is no operation ${id}`);
  return operation;
}

function readLibraryProtos() {
  return fromBinary(FileDescriptorSetSchema, readFileSync(new URL("../../descriptors.binpb", import.meta.url)));
}
