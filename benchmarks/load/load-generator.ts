import { generateGrpcLoad } from "./grpc-generator.ts";
import type { LoadGenerator } from "./load.ts";
import { createWrkGenerator } from "./wrk.ts";

/** Returns a load generator for JSON and gRPC. Disposing of the stack `resources` ends a running load. */
export async function startLoadGenerator(resources: AsyncDisposableStack): Promise<LoadGenerator> {
  const wrk = await createWrkGenerator(resources);
  return (load) => (load.protocol === "json" ? wrk(load) : generateGrpcLoad(load));
}
