import type { Worker } from "node:cluster";
import { on } from "node:events";
import type { PrimaryMessage, WorkerMessage, WorkerMetrics } from "./worker-message.js";

/** A worker that has not told its metrics by then is left out: it is stuck, and the others are to be seen all the same. */
const TIMEOUT_MS = 2000;

/** Asks workers for what they count. Those that end meanwhile are left out. */
export async function gatherMetrics(workers: readonly Worker[]): Promise<WorkerMetrics[]> {
  const collected = await Promise.all(workers.map(collect));
  return collected.filter((metrics) => metrics !== undefined);
}

async function collect(worker: Worker): Promise<WorkerMetrics | undefined> {
  const messages = on(worker, "message", { signal: AbortSignal.timeout(TIMEOUT_MS), close: ["exit"] });
  worker.send({ kind: "collect" } satisfies PrimaryMessage);
  try {
    for await (const [message] of messages as AsyncIterable<[WorkerMessage]>) {
      if (message.kind === "metrics") return message.metrics;
    }
  } catch {
    // It did not answer in time, or cannot be reached, which the log says.
  }
  return undefined;
}
