import { writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import pg from "pg";
import { resetDatabase, type Seed, seedDatabase } from "../database-seed.ts";
import { type Peer, type RunningPeer, startPeer } from "../peers/peer.ts";
import { calltrack } from "../peers/peers.ts";
import { pinToCore } from "../pin-to-core.ts";
import { startPostgres } from "../postgres.ts";
import { findPostmaster } from "../servers/cost-under-load.ts";
import { table } from "../table.ts";
import { grpcCreatePool, grpcGetPool, grpcListPools } from "../workloads/grpc-workloads.ts";
import { createPool, getPool, listPools } from "../workloads/json-workloads.ts";
import {
  type LoadInterval,
  type MixedLoadGenerator,
  type MixedLoadPart,
  startMixedLoadGenerator,
} from "./mixed-load.ts";

/** Duration of each stage, in seconds. */
interface BenchmarkPlan {
  readonly warmUp: number;
  readonly step: number;
  readonly before: number;
  readonly overload: number;
  readonly after: number;
}

const FULL: BenchmarkPlan = { warmUp: 8, step: 2, before: 5, overload: 20, after: 10 };
const QUICK: BenchmarkPlan = { warmUp: 4, step: 1, before: 2, overload: 5, after: 4 };

/** Factor of the overload, relative to the peak. */
const EXCESS = 3;

/** Load before and after the overload, as a fraction of the peak. */
const BASE_LOAD_SHARE = 0.5;

/** First load of the search for the peak, and the factor between loads. */
const FIRST_RATE = 2000;
const STEP = 1.2;

/** Time after which a user gives up. */
const TIMEOUT_MS = 1000;

/** Fraction of requests answered in a quarter of a second that counts as recovered. */
const RECOVERED_SHARE = 0.99;

/** Half JSON over HTTP/1.1, half gRPC: of ten requests, seven read a pool, two create one, one lists twenty. */
const MIX = [
  { workload: getPool, weight: 7, lanes: 600 },
  { workload: createPool, weight: 2, lanes: 200 },
  { workload: listPools, weight: 1, lanes: 100 },
  { workload: grpcGetPool, weight: 7, lanes: 800 },
  { workload: grpcCreatePool, weight: 2, lanes: 400 },
  { workload: grpcListPools, weight: 1, lanes: 200 },
];

// The load comes from one address, like that of a proxy, which may open any number of connections.
const ENVIRONMENT = { ...calltrack.environment, TRUSTED_PROXIES: "127.0.0.1" };

const CONTESTANTS: readonly Peer[] = [
  { ...calltrack, title: "with the default `MAX_REQUESTS`", environment: ENVIRONMENT },
  { ...calltrack, title: "with `MAX_REQUESTS=off`", environment: { ...ENVIRONMENT, MAX_REQUESTS: "off" } },
];

/** Effects of an overload on a server. */
interface Outcome {
  readonly title: string;
  /** Good responses per second. */
  readonly peak: number;
  readonly before: LoadInterval;
  readonly overload: LoadInterval;
  /** Seconds from the end of the overload to recovery; undefined if there was none. */
  readonly recovery: number | undefined;
  readonly generatorUse: number;
}

/** Measures servers under overload, prints the results, and writes them unless the run is quick. */
export async function runOverloadBenchmark(resources: AsyncDisposableStack, quick: boolean): Promise<void> {
  const effort = quick ? QUICK : FULL;
  const databaseUrl = await startPostgres(resources);
  const generator = startMixedLoadGenerator(resources);
  const isApart = pinToCore(0, [await findPostmaster(databaseUrl)]) && pinToCore(1, [generator.pid]);
  const servers: RunningPeer[] = [];
  for (const peer of CONTESTANTS) servers.push(await startPeer(resources, peer, databaseUrl));
  if (isApart)
    pinToCore(
      0,
      servers.map(({ pid }) => pid),
    );
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  client.on("error", () => {});
  resources.defer(() => client.end());
  const parts = createParts(await seedDatabase(client));
  const outcomes: Outcome[] = [];
  for (const server of servers) {
    await resetDatabase(client);
    console.log(server.peer.title);
    outcomes.push(await overload(server, parts, generator.generate, effort));
  }
  const page = formatPage(outcomes, effort, isApart);
  console.log(page);
  if (!quick) await writeFile(new URL("../RESULTS-overload.md", import.meta.url), page);
}

function createParts(seed: Seed): MixedLoadPart[] {
  return MIX.map(({ workload, weight, lanes }) => ({
    protocol: workload.protocol,
    status: workload.status,
    requests: workload.requests(seed),
    weight,
    lanes,
  }));
}

async function overload(
  { peer, port }: RunningPeer,
  parts: readonly MixedLoadPart[],
  generate: MixedLoadGenerator,
  effort: BenchmarkPlan,
): Promise<Outcome> {
  const load = { port, parts, timeoutMs: TIMEOUT_MS };
  await generate({ ...load, stages: [{ seconds: effort.warmUp, requestsPerSecond: FIRST_RATE }] });
  const peak = await findPeak((requestsPerSecond) =>
    generate({ ...load, stages: [{ seconds: effort.step, requestsPerSecond }] }).then(
      ({ stages }) => (stages[0]?.good ?? 0) / effort.step,
    ),
  );
  const easy = peak * BASE_LOAD_SHARE;
  const { stages, quarters, generatorUse } = await generate({
    ...load,
    stages: [
      { seconds: effort.before, requestsPerSecond: easy },
      { seconds: effort.overload, requestsPerSecond: peak * EXCESS },
      { seconds: effort.after, requestsPerSecond: easy },
    ],
  });
  const afterwards = quarters.slice((effort.before + effort.overload) * 4);
  const well = afterwards.findIndex(({ good, refused, late }) => good >= (good + refused + late) * RECOVERED_SHARE);
  return {
    title: peer.title,
    peak,
    before: stages[0] as LoadInterval,
    overload: stages[1] as LoadInterval,
    recovery: well === -1 ? undefined : well / 4,
    generatorUse,
  };
}

/** Finds the maximum of good responses per second by increasing loads until the server no longer answers all requests. */
async function findPeak(tryRate: (requestsPerSecond: number) => Promise<number>): Promise<number> {
  let peak = 0;
  for (let rate = FIRST_RATE; ; rate *= STEP) {
    const good = await tryRate(rate);
    console.log(`  offered ${rate.toFixed(0)}/s, good responses ${good.toFixed(0)}/s`);
    peak = Math.max(peak, good);
    if (good < rate * 0.9) return peak;
  }
}

function formatPage(outcomes: readonly Outcome[], effort: BenchmarkPlan, isApart: boolean): string {
  const rows = outcomes.map((outcome) => formatRow(outcome, effort));
  return `# Results of overload

A server gets ${EXCESS} times the load that it can carry, for ${effort.overload} s. A response is good if it is correct and arrives within ${TIMEOUT_MS / 1000} s
of the due time of its request. See [README](README.md#overload).

${table(
  [
    "",
    "peak, good responses/s",
    "good under overload/s",
    "relative to the peak",
    "rejected/s",
    "late or never/s",
    "p50, p99 of good responses, ms",
    "p50, p99 at half the peak, ms",
    "p50 of rejections, ms",
    "recovery, s",
  ],
  rows,
)}

${
  isApart
    ? "The servers and PostgreSQL shared one core; the generator used another"
    : "Servers, PostgreSQL and the generator shared all cores, so that the generator reduced the capacity it measured"
} and was ${Math.round(Math.max(...outcomes.map(({ generatorUse }) => generatorUse)) * 100)} % busy.

Measured by \`npm run bench -- overload\` on ${availableParallelism()} cores and Node.js ${process.versions.node}.
`;
}

function formatRow({ title, peak, before, overload, recovery }: Outcome, effort: BenchmarkPlan): string[] {
  const perSecond = (count: number) => (count / effort.overload).toFixed(0);
  const pair = ({ p50, p99 }: LoadInterval) => `${p50.toFixed(1)}, ${p99.toFixed(1)}`;
  return [
    title,
    peak.toFixed(0),
    perSecond(overload.good),
    `**${((overload.good / effort.overload / peak) * 100).toFixed(0)} %**`,
    perSecond(overload.refused),
    perSecond(overload.late),
    pair(overload),
    pair(before),
    overload.refused === 0 ? "" : overload.refusedP50.toFixed(1),
    recovery === undefined ? `more than ${effort.after}` : recovery.toFixed(2),
  ];
}
