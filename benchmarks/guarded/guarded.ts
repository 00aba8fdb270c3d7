import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { compare, type Figure, formatRatio } from "../comparison.ts";
import { resetDatabase, seedDatabase } from "../database-seed.ts";
import { startLoadGenerator } from "../load/load.ts";
import { startPeer } from "../peers/peer.ts";
import { calltrack, guardedCalltrack } from "../peers/peers.ts";
import { startPostgres } from "../postgres.ts";
import { type RoundPlan, runRounds } from "../rounds.ts";
import { createLoadContestant } from "../server-under-load.ts";
import { table } from "../table.ts";
import type { Workload } from "../workloads/workload.ts";

const FULL: RoundPlan = { rounds: 9, roundSeconds: 2, warmUpSeconds: 3 };
const QUICK: RoundPlan = { rounds: 3, roundSeconds: 1, warmUpSeconds: 2 };

/**
 * Measures saturated Calltrack with API keys and rate limits, relative to Calltrack without. Prints the results, and writes
 * those of a full run.
 */
export async function runGuardedBenchmark(
  resources: AsyncDisposableStack,
  workloads: readonly Workload[],
  quick: boolean,
): Promise<void> {
  const plan = quick ? QUICK : FULL;
  const databaseUrl = await startPostgres(resources);
  // The first server creates the schema.
  const open = await startPeer(resources, calltrack, databaseUrl);
  const guarded = await startPeer(resources, guardedCalltrack, databaseUrl);
  const authorization = `Bearer ${await createAdminKey(databaseUrl)}`;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  client.on("error", () => {});
  resources.defer(() => client.end());
  const seed = await seedDatabase(client);
  const generateLoad = startLoadGenerator(resources);
  const rows: string[][] = [];
  for (const workload of workloads) {
    const requests = workload.requests(seed);
    const contestants = [
      createLoadContestant(
        guarded,
        workload,
        requests.map((each) => ({ ...each, authorization })),
        generateLoad,
      ),
      createLoadContestant(open, workload, requests, generateLoad),
    ];
    const rounds = await runRounds(contestants, plan, async () => {
      if (workload.isWriting) await resetDatabase(client);
    });
    const figures: readonly Figure[] = ["requestsPerSecond", "cpuMicroseconds", "p50", "p99"];
    const comparison = compare(rounds, 0, 1);
    rows.push([workload.title, ...figures.map((figure) => formatRatio(comparison[figure]))]);
    console.log(rows.at(-1)?.join("  "));
  }
  const page = formatPage(rows, plan);
  console.log(`\n${page}`);
  if (!quick) await writeFile(new URL("../RESULTS-guarded.md", import.meta.url), page);
}

function formatPage(rows: readonly string[][], { rounds, roundSeconds }: RoundPlan): string {
  return `# Results with authentication and rate limits

Saturated Calltrack with API keys and rate limits per caller and per address, relative to Calltrack without. Each ratio is the
median of ${rounds} alternating rounds of ${roundSeconds} s, with minimum and maximum in brackets. Metrics and request ids are on in
both. See [README](README.md#authentication-and-rate-limits).

${table(["guarded / open", "requests/s", "CPU time", "p50", "p99"], rows)}

Measured by \`npm run bench -- guarded\` on ${availableParallelism()} cores, shared by server, database and load, with Node.js ${process.versions.node}.
`;
}

async function createAdminKey(databaseUrl: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [fileURLToPath(guardedCalltrack.program), "create-admin-key"],
    { env: { ...process.env, DATABASE_URL: databaseUrl } },
  );
  return stdout.trim();
}
