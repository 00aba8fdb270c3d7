import type { ReplicaObserver } from "@calltrack/postgres";
import type { Logger } from "pino";
import { Counter, type Registry } from "prom-client";

/** Registers the metrics of a replica, and returns what takes note of them and logs when it is not used. */
export function registerReplicaMetrics(registry: Registry, log: Logger): ReplicaObserver {
  const reads = new Counter({
    name: "calltrack_replica_reads_total",
    help: "Statements that a replica may answer, by the database server that did.",
    labelNames: ["server"] as const,
    registers: [registry],
  });
  return {
    change(isUsed, reason) {
      if (isUsed) log.info("the replica is read from");
      else log.warn({ err: reason }, "the replica is not read from: the primary is");
    },
    read: (server) => reads.inc({ server }),
  };
}
