import type { Seed } from "./database-seed.ts";
import type { LoadGenerator } from "./load/load.ts";
import type { Protocol, RunningPeer } from "./peers/peer.ts";
import type { Pgbench } from "./pgbench.ts";
import type { Workload } from "./workloads/workload.ts";

/** State and resources of a running benchmark. */
export interface BenchmarkContext {
  /** Calltrack comes first. */
  readonly peers: readonly RunningPeer[];
  readonly seed: Seed;
  readonly generateLoad: LoadGenerator;
  readonly pgbench: Pgbench | undefined;
  /** Restores the database, if the workload changes it. */
  readonly reset: (workload: Workload) => Promise<void>;
}

/** Returns the servers that serve a protocol. */
export function peersServing(peers: readonly RunningPeer[], protocol: Protocol): RunningPeer[] {
  return peers.filter(({ peer }) => peer.protocols.includes(protocol));
}
