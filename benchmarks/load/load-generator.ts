import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startChild } from "../child.ts";
import type { LoadGenerator } from "./load.ts";
import { startWrk } from "./wrk.ts";

/** Starts what generates loads, one after the other; it ends with the resources. */
export async function startLoadGenerator(resources: AsyncDisposableStack): Promise<LoadGenerator> {
  const [wrk, overGrpc] = [await startWrk(resources), startGrpcGenerator(resources)];
  return (load) => (load.protocol === "json" ? wrk(load) : overGrpc(load));
}

function startGrpcGenerator(resources: AsyncDisposableStack): LoadGenerator {
  const child = startChild(resources, process.execPath, [fileURLToPath(import.meta.resolve("./grpc-generator.ts"))], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    // Transfers messages as bytes.
    serialization: "advanced",
  });
  const ended = once(child, "exit").then(() => {
    throw new Error("the load generator exited");
  });
  // The process may end with the resources while nobody awaits this promise.
  ended.catch(() => {});
  return async (load) => {
    child.send(load);
    const [answer] = await Promise.race([once(child, "message"), ended]);
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.result;
  };
}
