import { generateGrpcLoad } from "./grpc-generator.ts";
import type { LoadGenerator } from "./load.ts";
import { startWrk } from "./wrk.ts";

/** Returns the generator of loads over both protocols; a load ends with the resources. */
export async function startLoadGenerator(resources: AsyncDisposableStack): Promise<LoadGenerator> {
  const wrk = await startWrk(resources);
  return (load) => (load.protocol === "json" ? wrk(load) : generateGrpcLoad(load));
}
