import { type RunningPeer, startPeer } from "../peers/peer.ts";
import { calltrack } from "../peers/peers.ts";

/** Servers that stand side by side on one PostgreSQL. */
export interface SetUp {
  /** As it is called in a table. */
  readonly title: string;
  readonly servers: number;
  /** How many processes each of them is. */
  readonly workers: number;
  readonly hasReplica: boolean;
}

const ONE: SetUp = { title: "one server", servers: 1, workers: 1, hasReplica: false };

/** More and more processes, of which each is offered the same load. */
export const GROWING: readonly SetUp[] = [
  ONE,
  { ...ONE, title: "two servers", servers: 2 },
  { ...ONE, title: "four servers", servers: 4 },
  { ...ONE, title: "one server of two workers", workers: 2 },
  { ...ONE, title: "one server of four workers", workers: 4 },
];

/** One server that is as busy as it can be. */
export const BUSY: readonly SetUp[] = [ONE, { ...ONE, title: "one server with a replica", hasReplica: true }];

/** A set-up whose servers run. */
export interface RunningSetUp {
  readonly setUp: SetUp;
  readonly servers: readonly RunningPeer[];
}

/** Starts the servers, which end with the resources. */
export async function startSetUp(
  resources: AsyncDisposableStack,
  setUp: SetUp,
  databaseUrl: string,
  replicaUrl: string,
): Promise<RunningSetUp> {
  const environment = {
    ...calltrack.environment,
    WORKERS: `${setUp.workers}`,
    ...(setUp.hasReplica && { DATABASE_REPLICA_URL: replicaUrl }),
  };
  const starting = Array.from({ length: setUp.servers }, () =>
    startPeer(resources, { ...calltrack, environment }, databaseUrl),
  );
  return { setUp, servers: await Promise.all(starting) };
}
