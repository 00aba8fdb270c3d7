import { fileURLToPath } from "node:url";
import { loadSync, type PackageDefinition } from "@grpc/proto-loader";

const ROOT = new URL("../../../../", import.meta.url);

export const PROTO_FOLDER = fileURLToPath(new URL("proto", ROOT));

/** The directories of npm packages that contain proto files of google.rpc, gRPC health checking and gRPC reflection. */
const PACKAGE_FOLDERS = [
  "node_modules/google-gax/build/protos",
  "node_modules/grpc-health-check/proto",
  "node_modules/@grpc/reflection/build/proto",
].map((folder) => fileURLToPath(new URL(folder, ROOT)));

/**
 * Loads proto files and their imports without generated code, as a third-party client does.
 *
 * @param defaults whether received messages include default values of unset fields without presence.
 */
export function loadProtos(files: string[], { defaults }: { readonly defaults: boolean }): PackageDefinition {
  return loadSync(files, {
    defaults,
    includeDirs: [PROTO_FOLDER, ...PACKAGE_FOLDERS],
    keepCase: true,
    longs: Number,
    enums: String,
  });
}

/** The names of all services on the server: the API, health checking and reflection. */
export const SERVICE_NAMES = [
  "calltracking.v1.AccountService",
  "calltracking.v1.PhoneNumberService",
  "calltracking.v1.PoolService",
  "calltracking.v1.CallTrackerService",
  "calltracking.v1.CallFlowService",
  "calltracking.v1.InventoryService",
  "calltracking.v1.TrafficService",
  "calltracking.v1.DniService",
  "calltracking.v1.CallService",
  "calltracking.v1.ClockService",
  "calltracking.v1.CallerService",
  "calltracking.v1.ApiKeyService",
  "calltracking.v1.PhoneSystemService",
  "calltracking.v1.AuditService",
  "calltracking.v1.EventService",
  "calltracking.v1.WebhookEndpointService",
  "grpc.health.v1.Health",
  "grpc.reflection.v1.ServerReflection",
  "grpc.reflection.v1alpha.ServerReflection",
];
