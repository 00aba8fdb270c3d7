import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { type Seed, seedDatabase } from "../database-seed.ts";
import { type Load, startLoadGenerator } from "../load/load.ts";
import { drawSoakPlot, type Sample, type Slice, type Soak } from "../plotting/soak-plot.ts";
import { startPostgres } from "../postgres.ts";
import { table } from "../table.ts";
import { grpcCreatePool, grpcGetPool, grpcListPools } from "../workloads/grpc-workloads.ts";
import { createPool, getPool, listPools } from "../workloads/json-workloads.ts";
import type { Workload } from "../workloads/workload.ts";
import { sendOccasionalRequests } from "./occasional-requests.ts";
import { type SoakedServer, startSoakedServer } from "./soaked-server.ts";
import { computeTrend, type Trend } from "./trend.ts";

/** The concurrent loads: saturating reads, and writes at a rate whose data fits on the disk for a day. */
const LOADS: readonly { readonly workload: Workload; readonly requestsPerSecond?: number }[] = [
  { workload: getPool },
  { workload: listPools },
  { workload: createPool, requestsPerSecond: 100 },
  { workload: grpcGetPool },
  { workload: grpcListPools },
  { workload: grpcCreatePool, requestsPerSecond: 100 },
];

/** Minimum duration of a soak that is written and judged; before that, a server is still growing to its working size. */
export const SOAK_MINUTES = 20;

const CONCURRENCY = 8;

/** Length of a slice. Heap and latencies are measured once per slice, memory and descriptors more often. */
const SLICE_SECONDS = 20;
const SAMPLES_OF_A_SLICE = 4;

/** Warm-up, excluded from trends: caches fill, code is compiled, and the heap finds its size. */
const WARM_UP_SHARE = 0.5;

/** Maximum significant growth per day, as a fraction of the mean. */
const MAX_GROWTH_PER_DAY = 1;
const DAY_MINUTES = 24 * 60;

/**
 * Puts a mixed load on a server for some minutes and prints its resources over time. Writes the results of a full soak.
 *
 * @throws Error if a resource grows significantly in a full soak.
 */
export async function runSoakBenchmark(resources: AsyncDisposableStack, minutes: number): Promise<void> {
  const soak = await soakServer(resources, minutes);
  const trends = trendsOf(soak, minutes);
  const page = formatPage(soak, trends, minutes);
  console.log(page);
  if (minutes >= SOAK_MINUTES) {
    await mkdir(new URL("../plots", import.meta.url), { recursive: true });
    await writeFile(new URL("../plots/soak.svg", import.meta.url), drawSoakPlot(soak));
    await writeFile(new URL("../RESULTS-soak.md", import.meta.url), page);
  }
  const growing = trends.filter(({ isFlat }) => !isFlat).map(({ title }) => title);
  if (minutes >= SOAK_MINUTES && growing.length > 0) throw new Error(`growing without bound: ${growing.join(", ")}`);
}

async function soakServer(resources: AsyncDisposableStack, minutes: number): Promise<Soak> {
  const databaseUrl = await startPostgres(resources);
  const server = await startSoakedServer(resources, databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  client.on("error", () => {});
  resources.defer(() => client.end());
  const seed = await seedDatabase(client);
  const generators = LOADS.map(() => startLoadGenerator(resources));
  const samples: Sample[] = [];
  const slices: Slice[] = [];
  const begin = performance.now();
  const minute = () => (performance.now() - begin) / 60_000;
  while (minute() < minutes) {
    const results = Promise.all(LOADS.map((load, place) => generators[place]?.(loadOf(server, load, seed))));
    const guests = sendOccasionalRequests(server, seed, SLICE_SECONDS);
    for (let count = 0; count < SAMPLES_OF_A_SLICE; count++) {
      await pause((SLICE_SECONDS * 1000) / (SAMPLES_OF_A_SLICE + 1));
      const connections = await countConnections(client);
      samples.push({ minute: minute(), memory: mega(server.memory()), descriptors: server.descriptors(), connections });
    }
    const answered = await results;
    await guests;
    const slice: Slice = {
      minute: minute(),
      heap: mega(await server.heap()),
      p99: answered.map((each) => each?.p99 ?? Number.NaN),
      requestsPerSecond: answered.reduce((sum, each) => sum + (each?.requestsPerSecond ?? Number.NaN), 0),
    };
    slices.push(slice);
    console.log(
      `${slice.minute.toFixed(1)} min: heap ${slice.heap.toFixed(1)} MB, ${slice.requestsPerSecond.toFixed(0)}/s`,
    );
  }
  return { samples, slices };
}

function loadOf(
  { port, authorization }: SoakedServer,
  { workload, ...rate }: (typeof LOADS)[number],
  seed: Seed,
): Load {
  const { protocol, status } = workload;
  const requests = workload.requests(seed).map((request) => ({ ...request, authorization }));
  return {
    ports: [port],
    protocol,
    status,
    requests,
    ...rate,
    concurrency: CONCURRENCY,
    seconds: SLICE_SECONDS,
  };
}

async function countConnections(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    "select count(*)::int from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  );
  return rows[0].count;
}

function mega(bytes: number): number {
  return bytes / 1e6;
}

interface NamedTrend extends Trend {
  readonly title: string;
  readonly unit: string;
  readonly isFlat: boolean;
}

function trendsOf({ samples, slices }: Soak, minutes: number): NamedTrend[] {
  const after = minutes * WARM_UP_SHARE;
  const named = (title: string, unit: string, points: readonly (readonly [number, number])[]): NamedTrend => {
    const trend = computeTrend(points.filter(([minute]) => minute >= after));
    const certainGrowth = Math.max(0, trend.slope - trend.margin) * DAY_MINUTES;
    return { title, unit, ...trend, isFlat: certainGrowth <= trend.mean * MAX_GROWTH_PER_DAY };
  };
  return [
    named(
      "resident memory",
      "MB",
      samples.map(({ minute, memory }) => [minute, memory]),
    ),
    named(
      "heap after garbage collection",
      "MB",
      slices.map(({ minute, heap }) => [minute, heap]),
    ),
    named(
      "file descriptors",
      "",
      samples.map(({ minute, descriptors }) => [minute, descriptors]),
    ),
    named(
      "connections to PostgreSQL",
      "",
      samples.map(({ minute, connections }) => [minute, connections]),
    ),
  ];
}

function formatPage({ slices }: Soak, trends: readonly NamedTrend[], minutes: number): string {
  return `# Results of a soak

${minutes} minutes of a mixed load: saturating reads and creations of pools over JSON and gRPC, visits, health checks.
Connections open, close and break off, and some requests are rejected. API keys are on, and passes run every five seconds. See [README](README.md#soak).

![Memory, descriptors and latencies over time](plots/soak.svg)

The slope is that of the second half, with its 95 % confidence interval.

${table(["figure", "mean", "slope per hour", "flat"], trends.map(trendRow))}

${table(
  ["p99, ms", "first minute", "last minute"],
  LOADS.map((load, place) => latencyRow(load.workload.title, place, slices)),
)}

In total ${mean(slices.map((each) => each.requestsPerSecond)).toFixed(0)} requests a second, on ${availableParallelism()} cores, shared by server, database and load, with Node.js ${process.versions.node}.
Measured by \`npm run bench -- soak\`.
`;
}

function trendRow({ title, unit, mean: average, slope, margin, isFlat }: NamedTrend): string[] {
  const hourly = `${(slope * 60).toFixed(2)} ± ${(margin * 60).toFixed(2)} ${unit}`;
  return [title, `**${average.toFixed(1)}** ${unit}`, hourly, isFlat ? "yes" : "**no**"];
}

function latencyRow(title: string, place: number, slices: readonly Slice[]): string[] {
  const within = Math.round(60 / SLICE_SECONDS);
  const p99 = (part: readonly Slice[]) => mean(part.map((each) => each.p99[place] ?? Number.NaN)).toFixed(1);
  return [title, p99(slices.slice(0, within)), p99(slices.slice(-within))];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
