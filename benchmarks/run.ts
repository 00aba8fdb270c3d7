// Runs the benchmarks; see README.md. It always ends every process that it started.
import { parseArgs } from "node:util";
import { runAbuseBenchmark } from "./abuse/abuse.ts";
import { type BenchmarkPlan, runBenchmarks, type Selection } from "./benchmarks.ts";
import { runBuildsBenchmark } from "./builds/builds.ts";
import { runCallImportsBenchmark } from "./calls/call-imports.ts";
import { runCallsBenchmark } from "./calls/calls.ts";
import { runEdgeBenchmark } from "./edge/edge.ts";
import { runFaultsBenchmark } from "./faults/faults.ts";
import { runGuardedBenchmark } from "./guarded/guarded.ts";
import { runLoopBenchmark } from "./loop/loop.ts";
import { runOverloadBenchmark } from "./overload/overload.ts";
import { PEERS } from "./peers/peers.ts";
import { formatResults, writeResults } from "./report.ts";
import { MAX_POOLS, MIN_POOLS, runScaleBenchmark } from "./scale/scale.ts";
import { runServersBenchmark } from "./servers/servers.ts";
import { runSoakBenchmark, SOAK_MINUTES } from "./soak/soak.ts";
import { runTranscodingBenchmark } from "./transcoding/transcoding.ts";
import { grpcCreatePool, grpcGetPool, grpcListPools } from "./workloads/grpc-workloads.ts";
import { createPool, getPool, listPools } from "./workloads/json-workloads.ts";

const FULL: BenchmarkPlan = {
  saturation: { rounds: 11, roundSeconds: 2, warmUpSeconds: 3 },
  fixedLoads: { rounds: 3, roundSeconds: 2, warmUpSeconds: 0 },
  starts: 7,
};
/** The quick run: shows within minutes whether everything works, and rough figures. */
const QUICK: BenchmarkPlan = {
  saturation: { rounds: 3, roundSeconds: 1, warmUpSeconds: 2 },
  fixedLoads: { rounds: 1, roundSeconds: 1, warmUpSeconds: 0 },
  starts: 2,
};

const WORKLOADS = [getPool, createPool, listPools, grpcGetPool, grpcCreatePool, grpcListPools];
const PGBENCH = "pgbench";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    peers: { type: "string" },
    workloads: { type: "string" },
    "up-to": { type: "string" },
    minutes: { type: "string" },
    older: { type: "string" },
  },
});

const resources = new AsyncDisposableStack();
let interruptedBy: NodeJS.Signals | undefined;
const interrupted = new Promise<void>((resolve) => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      interruptedBy ??= signal;
      resolve();
    });
  }
});

try {
  const finished = runBenchmark(positionals[0]);
  // Ending the processes of an interrupted run makes it fail too; do not report that error.
  finished.catch(() => {});
  await Promise.race([finished, interrupted]);
} catch (error) {
  if (interruptedBy === undefined) {
    console.error(error);
    process.exitCode = 1;
  }
} finally {
  await resources.disposeAsync();
}
process.exit(interruptedBy === undefined ? process.exitCode : 130);

function runBenchmark(name: string | undefined): Promise<void> {
  if (name === "transcoding") return runTranscodingBenchmark(values.quick);
  if (name === "servers") return runServersBenchmark(resources, values.quick);
  if (name === "calls") return runCallsBenchmark(resources, values.quick);
  if (name === "call-imports") return runCallImportsBenchmark(resources, values.quick);
  if (name === "edge") return runEdgeBenchmark(resources, values.quick);
  if (name === "abuse") return runAbuseBenchmark(resources, values.quick);
  if (name === "loop") return runLoopBenchmark(resources, values.quick);
  if (name === "overload") return runOverloadBenchmark(resources, values.quick);
  if (name === "scale") return runScaleBenchmark(resources, { quick: values.quick, largest: readLargest() });
  if (name === "faults") return runFaultsBenchmark(resources, values.quick);
  if (name === "soak") return runSoakBenchmark(resources, readMinutes());
  if (name === "guarded") return runGuardedBenchmark(resources, WORKLOADS, values.quick);
  if (name === "builds") return runBuildsBenchmark(resources, readSelection().workloads, readOlder(), values.quick);
  if (name === undefined) return runServerBenchmarks();
  throw new Error(
    `there is no benchmark ${JSON.stringify(name)}: pick of transcoding, servers, scale, overload, faults, soak, guarded, edge, calls, call-imports, abuse, loop, builds, or name none`,
  );
}

/** Writes the results of a full run; prints only those of a quick or partial run. */
async function runServerBenchmarks(): Promise<void> {
  const effort = values.quick ? QUICK : FULL;
  const results = await runBenchmarks(resources, effort, readSelection());
  console.log(`\n${formatResults(results, effort)}`);
  const isPart = values.peers !== undefined || values.workloads !== undefined;
  if (!values.quick && !isPart) await writeResults(results, effort);
}

/** Reads the largest number of pools for the scale benchmark. */
function readLargest(): number {
  const largest = Number(values["up-to"] ?? (values.quick ? 100_000 : MAX_POOLS));
  if (largest >= MIN_POOLS && largest <= MAX_POOLS) return largest;
  throw new Error(`--up-to must be a number of pools from ${MIN_POOLS} to ${MAX_POOLS}`);
}

/** Reads the duration of the soak benchmark. */
function readMinutes(): number {
  const minutes = Number(values.minutes ?? (values.quick ? 2 : SOAK_MINUTES));
  if (minutes >= 1 && minutes <= 24 * 60) return minutes;
  throw new Error("--minutes must be a number from 1 to 1440");
}

/** Reads the folder of the older build. */
function readOlder(): string {
  if (values.older !== undefined) return values.older;
  throw new Error("--older must be the folder of another checkout, built with `npm run build`");
}

function readSelection(): Selection {
  const peers = pick(values.peers, [...PEERS.map(({ name }) => name), PGBENCH]);
  const workloads = pick(
    values.workloads,
    WORKLOADS.map(({ name }) => name),
  );
  return {
    peers: PEERS.filter(({ name }) => peers.includes(name)),
    withPgbench: peers.includes(PGBENCH),
    workloads: WORKLOADS.filter(({ name }) => workloads.includes(name)),
  };
}

/** Parses a list of names separated by commas; all names if it is absent. */
function pick(list: string | undefined, names: readonly string[]): readonly string[] {
  const picked = list?.split(",") ?? names;
  const unknown = picked.find((name) => !names.includes(name));
  if (unknown === undefined) return picked;
  throw new Error(`unknown name ${JSON.stringify(unknown)}: use ${names.join(", ")}`);
}
