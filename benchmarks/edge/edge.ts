import { writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import pg from "pg";
import { compare, type Figure, formatRatio } from "../comparison.ts";
import { type Seed, seedDatabase } from "../database-seed.ts";
import { startLoadGenerator } from "../load/load.ts";
import { startPeer } from "../peers/peer.ts";
import { calltrack } from "../peers/peers.ts";
import { startPostgres } from "../postgres.ts";
import { type RoundPlan, runRounds } from "../rounds.ts";
import { createLoadContestant } from "../server-under-load.ts";
import { table } from "../table.ts";
import { getPool } from "../workloads/json-workloads.ts";
import type { LoadRequest, Workload } from "../workloads/workload.ts";

const FULL: RoundPlan = { rounds: 15, roundSeconds: 2, warmUpSeconds: 3 };
const QUICK: RoundPlan = { rounds: 5, roundSeconds: 1, warmUpSeconds: 2 };

/** One request in this many is of another kind. */
const OTHERS_EVERY = 100;

const FIGURES: readonly Figure[] = ["requestsPerSecond", "cpuMicroseconds", "p50", "p99"];

/**
 * Measures reads on connections that also carry other requests, and over HTTP/2, each relative to the same reads alone over
 * HTTP/1.1. Prints the results, and writes those of a full run.
 */
export async function runEdgeBenchmark(resources: AsyncDisposableStack, quick: boolean): Promise<void> {
  const plan = quick ? QUICK : FULL;
  const databaseUrl = await startPostgres(resources);
  const server = await startPeer(resources, calltrack, databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  client.on("error", () => {});
  resources.defer(() => client.end());
  const seed = await seedDatabase(client);
  const generateLoad = startLoadGenerator(resources);
  const underLoad = (workload: Workload) =>
    createLoadContestant(server, workload, workload.requests(seed), generateLoad);
  const compared: readonly Workload[] = [
    { ...getPool, title: "1 % other requests", requests: mixedRequests },
    { ...getPool, title: "JSON over HTTP/2", protocol: "json-http2" },
  ];
  const rounds = await runRounds([getPool, ...compared].map(underLoad), plan, async () => {});
  const rows = compared.map(({ title }, index) => {
    const comparison = compare(rounds, index + 1, 0);
    return [title, ...FIGURES.map((figure) => formatRatio(comparison[figure]))];
  });
  const page = formatPage(rows, plan);
  console.log(`\n${page}`);
  if (!quick) await writeFile(new URL("../RESULTS-edge.md", import.meta.url), page);
}

/** The requests of `getPool` with every hundredth replaced, in turn, by an unknown path, a health check and a Connect call. */
function mixedRequests(seed: Seed): readonly LoadRequest[] {
  const { accountToken = "", id = "" } = seed.pools[0] ?? {};
  const others: readonly LoadRequest[] = [
    { method: "GET", path: "/no/such/path", status: 404 },
    { method: "GET", path: "/healthz" },
    {
      method: "POST",
      path: "/calltracking.v1.PoolService/GetPool",
      body: JSON.stringify({ accountId: accountToken, poolId: id }),
    },
  ];
  return getPool
    .requests(seed)
    .map((request, index) =>
      index % OTHERS_EVERY === 0 ? (others[(index / OTHERS_EVERY) % others.length] as LoadRequest) : request,
    );
}

function formatPage(rows: readonly string[][], { rounds, roundSeconds }: RoundPlan): string {
  return `# Results of the edge

Reads of a pool on connections that also carry other requests, and as JSON over HTTP/2, relative to the same reads alone over HTTP/1.1. The
server is saturated. Each ratio is the median of ${rounds} alternating rounds of ${roundSeconds} s, with minimum and
maximum in brackets. See [README](README.md#the-edge).

${table(["relative to HTTP/1.1 alone", "requests/s", "CPU time", "p50", "p99"], rows)}

Measured by \`npm run bench -- edge\` on ${availableParallelism()} cores, shared by server, database and load, with Node.js ${process.versions.node}.
`;
}
