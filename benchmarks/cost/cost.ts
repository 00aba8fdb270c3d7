import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { type RunningPeer, startPeer } from "../peers/peer.ts";
import { calltrack } from "../peers/peers.ts";
import { connect, startPostgres } from "../postgres.ts";
import { cpuTimeOfTree, parentOf } from "../process-tree.ts";
import { publishResults } from "../results-page.ts";
import { table } from "../table.ts";
import { sendPaced } from "../voice/paced-load.ts";
import { readJson } from "../workloads/send-json.ts";
import type { LoadRequest } from "../workloads/workload.ts";
import { type CostWorkload, seedCostWorkloads } from "./cost-workloads.ts";

const FULL = { rounds: 20, slices: 10 };
const QUICK = { rounds: 3, slices: 2 };

/** The variants take turns after so many requests, so that other activity on the machine affects all of them alike. */
const SLICE = 500;
/** Far below half of what a server can create in a second on two cores. */
const PER_SECOND = 800;
/** After a slice, batches, bookkeeping and deliveries end within this time. It counts for every variant. */
const SETTLE_MS = 500;

/** A build of Calltrack under a load. */
interface Variant {
  readonly title: string;
  /** Root of the repository that it was built in. */
  readonly root: string;
  /** Whether a webhook endpoint gets all events of all accounts. */
  readonly hasEndpoint?: boolean;
}

interface RunningVariant extends Variant {
  readonly server: RunningPeer;
  /** The process that PostgreSQL's other processes are children of. */
  readonly postmaster: number;
  readonly workloads: readonly CostWorkload[];
  readonly agent: Agent;
  /** Writes what PostgreSQL has in memory to the disk, so that each load pays for its own. */
  checkpoint(): Promise<unknown>;
}

/**
 * Measures the CPU time for one created resource: that of the server and of all processes of its own PostgreSQL. Without another build, compares a server
 * that sends all events to a webhook endpoint with one that has none. Otherwise compares this build with the other one.
 *
 * @param against root of the other build's repository; undefined without one.
 */
export async function runCostBenchmark(
  resources: AsyncDisposableStack,
  quick: boolean,
  against: string | undefined,
): Promise<void> {
  const { rounds, slices } = quick ? QUICK : FULL;
  const root = join(import.meta.dirname, "..", "..");
  const base = against ?? root;
  const variants: Variant[] = [
    { title: against === undefined ? "no endpoint" : "other build", root: base },
    { title: "the same again (control)", root: base },
    against === undefined
      ? { title: "one endpoint that gets all events", root, hasEndpoint: true }
      : { title: "this build", root },
  ];
  const running: RunningVariant[] = [];
  for (const variant of variants) running.push(await startVariant(resources, variant));
  const rows: string[][] = [];
  for (const [index, { title }] of (running[0] as RunningVariant).workloads.entries()) {
    // The first round is a warm-up.
    const costs = (await measureRounds(running, index, rounds + 1, slices)).map((each) => each.slice(1));
    const [first = [], ...others] = costs;
    rows.push([title, `${Math.round(median(first) * 1e6)} µs`, ...others.map((other) => formatRatio(other, first))]);
    console.log(rows.at(-1)?.join(" | "));
  }
  const heads = ["request", ...running.map(({ title }) => title)];
  await publishResults("cost", formatPage(rounds, slices * SLICE, heads, rows), !quick && against === undefined);
}

async function startVariant(resources: AsyncDisposableStack, variant: Variant): Promise<RunningVariant> {
  const { url } = await startPostgres(resources);
  const program = pathToFileURL(join(variant.root, "apps/server/dist/bundle/main.js")).href;
  const SECRETS_KEY = randomBytes(32).toString("base64");
  const environment = { ...calltrack.environment, SECRETS_KEY, WEBHOOKS_ALLOW_PRIVATE: "on" };
  const server = await startPeer(resources, { ...calltrack, program, environment }, url);
  const client = await connect(resources, url);
  const { rows } = await client.query("select pg_backend_pid() as pid");
  const workloads = await seedCostWorkloads(client);
  if (variant.hasEndpoint) await createEndpoint(resources, server.port);
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  resources.defer(() => agent.destroy());
  return {
    ...{ ...variant, server, workloads, agent },
    postmaster: parentOf(rows[0].pid),
    checkpoint: () => client.query("checkpoint"),
  };
}

/** Creates an endpoint for the events of all accounts, whose receiver answers at once. */
async function createEndpoint(resources: AsyncDisposableStack, port: number): Promise<void> {
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  }).listen(0, "127.0.0.1");
  resources.defer(() => void receiver.closeAllConnections());
  await once(receiver, "listening");
  const body = JSON.stringify({
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    concurrency: 50,
  });
  await readJson(port, { method: "POST", path: "/dni_manager/webhook_endpoints", body });
}

/** Returns the CPU time for one request in each round, in seconds, for each variant. */
async function measureRounds(
  variants: readonly RunningVariant[],
  index: number,
  rounds: number,
  slices: number,
): Promise<number[][]> {
  const costs = variants.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    const seconds = variants.map(() => 0);
    for (const { checkpoint } of variants) await checkpoint();
    for (let turn = 0; turn < slices * variants.length; turn++) {
      // Every round begins with another variant, so that none always follows the same other one.
      const place = (turn + round) % variants.length;
      seconds[place] = (seconds[place] as number) + (await sendSlice(variants[place] as RunningVariant, index));
    }
    for (const [place, variant] of variants.entries()) {
      const total = (seconds[place] as number) + (await cpuTimeOf(variant, variant.checkpoint));
      costs[place]?.push(total / (slices * SLICE));
    }
  }
  return costs;
}

/** Sends a slice of requests at a constant rate. Returns the CPU time that the variant used, in seconds. */
async function sendSlice(variant: RunningVariant, index: number): Promise<number> {
  const workload = variant.workloads[index] as CostWorkload;
  return cpuTimeOf(variant, async () => {
    await sendPaced(() => create(variant, workload.next()), PER_SECOND, SLICE / PER_SECOND);
    await pause(SETTLE_MS);
  });
}

async function cpuTimeOf({ server, postmaster }: RunningVariant, work: () => Promise<unknown>): Promise<number> {
  const cpuTime = () => cpuTimeOfTree(server.pid) + cpuTimeOfTree(postmaster);
  const before = cpuTime();
  await work();
  return cpuTime() - before;
}

/** Sends a request on one of the agent's connections. `fetch` would take several times the CPU time. */
async function create({ agent, server }: RunningVariant, { path, body }: LoadRequest): Promise<void> {
  const headers = { "content-type": "application/json" };
  const sent = request({ agent, port: server.port, host: "127.0.0.1", path, method: "POST", headers });
  sent.end(body);
  // The run can end before the response.
  sent.on("error", () => {});
  const [response] = await once(sent, "response");
  response.resume();
  await once(response, "end");
  if (response.statusCode !== 201) throw new Error(`${path} has status ${response.statusCode}`);
}

function formatRatio(costs: readonly number[], base: readonly number[]): string {
  const ratios = costs.map((cost, round) => cost / (base[round] as number));
  return `${median(ratios).toFixed(3)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle) - 1] as number)) / 2;
}

function formatPage(
  rounds: number,
  requests: number,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return `# Results of costs

CPU time for one created resource: that of the server and of all processes of its own PostgreSQL, with checkpoints. The first column has a time. The others have
the median of the ratios to it in ${rounds} rounds, and the smallest and largest one. ${requests.toLocaleString("en")} requests a round, ${PER_SECOND} a second. See [README](README.md#costs).

${table(heads, rows)}
`;
}
