import { type RunningPeer, startPeer } from "../peers/peer.ts";
import { calltrack } from "../peers/peers.ts";

/** Servers on one PostgreSQL. */
export interface SetUp {
  /** Title in tables. */
  readonly title: string;
  readonly servers: number;
  /** Worker processes of each server. */
  readonly workers: number;
}

const ONE: SetUp = { title: "one server", servers: 1, workers: 1 };

/** Growing numbers of processes, each with the same load. */
export const GROWING: readonly SetUp[] = [
  ONE,
  { ...ONE, title: "two servers", servers: 2 },
  { ...ONE, title: "four servers", servers: 4 },
  { ...ONE, title: "one server of two workers", workers: 2 },
  { ...ONE, title: "one server of four workers", workers: 4 },
];

/** Saturated servers on a core of their own. */
export const APART: readonly SetUp[] = [ONE, { ...ONE, title: "one server of two workers", workers: 2 }];

/** A running set-up. */
export interface RunningSetUp {
  readonly setUp: SetUp;
  readonly servers: readonly RunningPeer[];
}

/** Starts the servers, which end with the resources. */
export async function startSetUp(
  resources: AsyncDisposableStack,
  setUp: SetUp,
  databaseUrl: string,
): Promise<RunningSetUp> {
  const environment = { ...calltrack.environment, WORKERS: `${setUp.workers}` };
  const starting = Array.from({ length: setUp.servers }, () =>
    startPeer(resources, { ...calltrack, environment }, databaseUrl),
  );
  return { setUp, servers: await Promise.all(starting) };
}
