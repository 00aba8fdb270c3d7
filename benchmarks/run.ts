// Runs the benchmarks; see README.md. It always ends every process that it started.
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type BenchmarkPlan, runServerComparison } from "./benchmarks.ts";
import { runCallsBenchmark } from "./calls/calls.ts";
import { runCostBenchmark } from "./cost/cost.ts";
import { runEventsBenchmark } from "./events/events.ts";
import { runFaultsBenchmark } from "./faults/faults.ts";
import { runEventLoopBenchmark } from "./loop/loop.ts";
import { COMPARED_SERVERS, controlPeer } from "./peers/peers.ts";
import { formatResultsPage } from "./report.ts";
import { MAX_POOLS, MIN_POOLS, runScaleBenchmark } from "./scale/scale.ts";
import { runVoiceBenchmark } from "./voice/voice.ts";
import { grpcCreatePoolWorkload, grpcGetPoolWorkload, grpcListPoolsWorkload } from "./workloads/grpc-workloads.ts";
import { jsonCreatePoolWorkload, jsonGetPoolWorkload, jsonListPoolsWorkload } from "./workloads/json-workloads.ts";

const WORKLOADS = [
  jsonGetPoolWorkload,
  jsonCreatePoolWorkload,
  jsonListPoolsWorkload,
  grpcGetPoolWorkload,
  grpcCreatePoolWorkload,
  grpcListPoolsWorkload,
];

const FULL: Omit<BenchmarkPlan, "runs"> = { rounds: { rounds: 11, roundSeconds: 2, warmUpSeconds: 3 }, starts: 7 };
/** Takes a few minutes. Shows whether everything works, and measures rough figures. */
const QUICK: Omit<BenchmarkPlan, "runs"> = { rounds: { rounds: 3, roundSeconds: 1, warmUpSeconds: 2 }, starts: 2 };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    runs: { type: "string", default: "1" },
    control: { type: "boolean", default: false },
    peers: { type: "string" },
    workloads: { type: "string" },
    "up-to": { type: "string" },
    against: { type: "string" },
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
  // Does not report the error with which an interrupted run fails because its processes end.
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

async function runBenchmark(name: string | undefined): Promise<void> {
  if (name === undefined) return comparePeers();
  if (name === "scale") return runScaleBenchmark(resources, { quick: values.quick, largest: readLargest() });
  if (name === "faults") return runFaultsBenchmark(resources, values.quick);
  if (name === "calls") return runCallsBenchmark(resources, values.quick);
  if (name === "loop") return runEventLoopBenchmark(resources, values.quick);
  if (name === "voice") return runVoiceBenchmark(resources, values.quick);
  if (name === "events") return runEventsBenchmark(resources, values.quick);
  if (name === "cost") return runCostBenchmark(resources, values.quick, values.against);
  throw new Error(
    `unknown benchmark ${JSON.stringify(name)}: use scale, faults, calls, loop, voice, events or cost, or none to compare servers`,
  );
}

/**
 * Compares Calltrack with the peers, and prints the results. Also writes them to `RESULTS.md`, except after a single quick run or a run of only some
 * workloads.
 */
async function comparePeers(): Promise<void> {
  const plan = { ...(values.quick ? QUICK : FULL), runs: readNumber("runs", values.runs, 1, 100) };
  const peers = [...(values.control ? [controlPeer] : []), ...pick(values.peers, COMPARED_SERVERS)];
  const results = await runServerComparison(resources, plan, { peers, workloads: pick(values.workloads, WORKLOADS) });
  const page = formatResultsPage(results, plan);
  console.log(`\n${page}`);
  const isRough = values.quick && plan.runs === 1;
  if (!isRough && values.workloads === undefined) await writeFile(new URL("./RESULTS.md", import.meta.url), page);
}

/** Returns the value of `--up-to`, the largest number of pools for the scale benchmark. Default: 100 000 in a quick run, otherwise `MAX_POOLS`. */
function readLargest(): number {
  return readNumber("up-to", values["up-to"] ?? `${values.quick ? 100_000 : MAX_POOLS}`, MIN_POOLS, MAX_POOLS);
}

function readNumber(option: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new Error(`--${option} must be an integer between ${min} and ${max}`);
}

/**
 * Returns the elements with the names in `names`, which commas separate; all elements if `names` is undefined.
 *
 * @throws Error if a name is unknown.
 */
function pick<T extends { readonly name: string }>(names: string | undefined, all: readonly T[]): readonly T[] {
  const known = all.map(({ name }) => name);
  const picked = names?.split(",") ?? known;
  const unknown = picked.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`unknown name ${JSON.stringify(unknown)}: use ${known.join(", ")}`);
  return all.filter(({ name }) => picked.includes(name));
}
