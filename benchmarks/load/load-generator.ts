import { generateGrpcLoad } from "./grpc-generator.ts";
import type { LoadGenerator } from "./load.ts";
import { startWrk } from "./wrk.ts";

/** Returns a load generator for both protocols. Disposing the resources ends its load. */
export async function startLoadGenerator(resources: AsyncDisposableStack): Promise<LoadGenerator> {
  const wrk = await startWrk(resources);
  return (load) => (load.protocol === "json" ? wrk(load) : generateGrpcLoad(load));
}
