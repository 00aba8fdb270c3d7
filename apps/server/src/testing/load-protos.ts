import { fileURLToPath } from "node:url";
import { loadSync, type PackageDefinition } from "@grpc/proto-loader";

const ROOT = new URL("../../../../", import.meta.url);

/** Where a foreign client finds the proto files: in the repository, and in the npm packages that bring Google's. */
const FOLDERS = [
  "proto",
  "node_modules/google-gax/build/protos",
  "node_modules/grpc-health-check/proto",
  "node_modules/@grpc/reflection/build/proto",
];

/**
 * Loads proto files and all that they import, as a client would that has never seen the generated code.
 *
 * @param defaults whether messages hold the default values of fields without presence that were not sent.
 */
export function loadProtos(files: string[], { defaults }: { readonly defaults: boolean }): PackageDefinition {
  return loadSync(files, {
    defaults,
    includeDirs: FOLDERS.map((folder) => fileURLToPath(new URL(folder, ROOT))),
    keepCase: true,
    longs: Number,
    enums: String,
  });
}

/** The services of the server, the API's and those that gRPC tools expect. */
export const SERVICES = [
  "calltracking.v1.AccountService",
  "calltracking.v1.PhoneNumberService",
  "calltracking.v1.PoolService",
  "calltracking.v1.CallTrackerService",
  "calltracking.v1.InventoryService",
  "calltracking.v1.TrafficService",
  "calltracking.v1.DniService",
  "calltracking.v1.ClockService",
  "calltracking.v1.ApiKeyService",
  "calltracking.v1.AuditService",
  "grpc.health.v1.Health",
  "grpc.reflection.v1.ServerReflection",
  "grpc.reflection.v1alpha.ServerReflection",
];
