import type { Seed } from "./database-seed.ts";
import type { LoadGenerator } from "./load/load.ts";
import type { Protocol, RunningPeer } from "./peers/peer.ts";
import type { Pgbench } from "./pgbench.ts";
import type { Workload } from "./workloads/workload.ts";

/** What measuring takes. */
export interface Bench {
  /** Ours is the first. */
  readonly peers: readonly RunningPeer[];
  readonly seed: Seed;
  readonly generateLoad: LoadGenerator;
  readonly pgbench: Pgbench | undefined;
  /** Puts the database back to how it was, if the workload changes it. */
  readonly reset: (workload: Workload) => Promise<void>;
}

/** The servers that serve a protocol. */
export function serving(peers: readonly RunningPeer[], protocol: Protocol): RunningPeer[] {
  return peers.filter(({ peer }) => peer.protocols.includes(protocol));
}
