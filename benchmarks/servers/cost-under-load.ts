import { readFileSync } from "node:fs";
import pg from "pg";
import type { LoadGenerator } from "../load/load.ts";
import { processTreeCpuTime } from "../process-figures.ts";
import type { Contestant } from "../rounds.ts";
import type { LoadRequest, Workload } from "../workloads/workload.ts";
import type { RunningSetUp } from "./set-up.ts";

/** Maximum number of requests in flight at each peersServing process. */
const CONCURRENCY = 32;

/** Cost of a request. */
export interface Cost {
  readonly requestsPerSecond: number;
  /** CPU time in microseconds, of all processes of all servers. */
  readonly servers: number;
  readonly database: number;
}

/**
 * Creates a contestant that puts a load on a set-up.
 *
 * @param postmaster the id of the database's main process.
 * @param requestsPerSecond load of each peersServing process; if absent, it is saturated.
 */
export function createCostContestant(
  { setUp, servers }: RunningSetUp,
  postmaster: number,
  { protocol, status }: Workload,
  requests: readonly LoadRequest[],
  generateLoad: LoadGenerator,
  requestsPerSecond?: number,
): Contestant<Cost> {
  const offered =
    requestsPerSecond === undefined ? {} : { requestsPerSecond: requestsPerSecond * setUp.servers * setUp.workers };
  const ports = servers.map(({ port }) => port);
  const load = { ports, protocol, requests, status, concurrency: CONCURRENCY * setUp.workers, ...offered };
  const times = () => ({
    servers: servers.reduce((sum, { pid }) => sum + processTreeCpuTime(pid), 0),
    database: processTreeCpuTime(postmaster),
  });
  return async (seconds) => {
    const before = times();
    const result = await generateLoad({ ...load, seconds });
    const after = times();
    const each = (whose: keyof typeof before) =>
      ((after[whose] - before[whose]) / (result.requestsPerSecond * seconds)) * 1e6;
    return {
      requestsPerSecond: result.requestsPerSecond,
      servers: each("servers"),
      database: each("database"),
    };
  };
}

/** Returns the id of the main process of a PostgreSQL server on this machine. */
export async function findPostmaster(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query("show data_directory");
  await client.end();
  return Number(readFileSync(`${rows[0].data_directory}/postmaster.pid`, "utf8").split("\n")[0]);
}
