import type { ReplicaObserver } from "@calltrack/postgres";
import type { Logger } from "pino";
import { Counter, type Registry } from "prom-client";

/** Registers the metrics of a replica. Returns the observer that updates them and logs when the server starts or stops using the replica. */
export function registerReplicaMetrics(registry: Registry, log: Logger): ReplicaObserver {
  const reads = new Counter({
    name: "calltrack_replica_reads_total",
    help: "Statements that the replica is allowed to answer, by the server that answered them.",
    labelNames: ["server"] as const,
    registers: [registry],
  });
  return {
    change(isUsed, reason) {
      if (isUsed) log.info("reading from the replica");
      else log.warn({ err: reason }, "not reading from the replica: using the primary");
    },
    read: (server) => reads.inc({ server }),
  };
}
