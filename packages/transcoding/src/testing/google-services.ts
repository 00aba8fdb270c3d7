// Creates a transcoder and an OpenAPI document for every published Google API service with HTTP rules. Counts the services that are
// rejected by default, and the rules that `unsupported: "skip"` leaves out. Downloads the protos in the npm package google-proto-files (9
// MB) to a temporary folder. Takes minutes; run `npm run build` first.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileRegistry, type DescService, fromBinary, hasOption } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import type { ConnectRouter } from "@connectrpc/connect";
import { http } from "../gen/google/api/annotations_pb.js";
import { createTranscoder } from "../index.js";
import { openapi } from "../openapi.js";

const VERSION = "5.0.3";
const INFO = { title: "A Google API", version: "1" };

const folder = mkdtempSync(join(tmpdir(), "google-services-"));
try {
  report(loadServices(folder));
} finally {
  rmSync(folder, { recursive: true });
}

function loadServices(folder: string): readonly DescService[] {
  const run = (command: string, ...args: readonly string[]) =>
    execFileSync(command, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  run("npm", "pack", `google-proto-files@${VERSION}`, "--silent");
  run("tar", "-xzf", `google-proto-files-${VERSION}.tgz`);
  const protos = join(folder, "package");
  // Removes the tests of the protobuf compiler, because they import files that the package does not contain.
  rmSync(join(protos, "google/protobuf"), { recursive: true });
  run("buf", "build", protos, "--as-file-descriptor-set", "-o", "all.binpb");
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(join(folder, "all.binpb"))));
  const services = [...registry].filter((type) => type.kind === "service");
  return services.filter(({ methods }) => methods.some((method) => hasOption(method, http)));
}

function report(services: readonly DescService[]): void {
  let refused = 0;
  const skipped: string[] = [];
  for (const service of services) {
    const routes = (router: ConnectRouter) => router.service(service, {});
    try {
      createTranscoder({ routes });
    } catch {
      refused += 1;
    }
    skipped.push(...createTranscoder({ routes, unsupported: "skip" }).skipped);
    openapi([service], { info: INFO, unsupported: "skip" });
  }
  console.log(`${services.length} services with HTTP rules in google-proto-files ${VERSION}`);
  console.log(`${services.length - refused} load by default, ${refused} are rejected`);
  console.log(
    `${services.length} load with unsupported: "skip", which leaves out rules for ${skipped.length} reasons:`,
  );
  for (const reason of skipped) console.log(`- ${reason}`);
}
