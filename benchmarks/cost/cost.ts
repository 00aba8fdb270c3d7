import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { computeSpread } from "../comparison.ts";
import { formatMarkdownTable } from "../markdown-table.ts";
import { type RunningPeer, startPeer } from "../peers/peer.ts";
import { calltrackPeer } from "../peers/peers.ts";
import { connectToPostgres, findPostmaster, startPostgres } from "../postgres.ts";
import { readProcessTreeCpuSeconds } from "../process-figures.ts";
import { publishResults } from "../results-page.ts";
import { sendAtConstantRate } from "../voice/paced-load.ts";
import { createWebhookReceiver } from "../webhook-receiver.ts";
import type { LoadRequest } from "../workloads/workload.ts";
import { type CostWorkload, seedCostWorkloads } from "./cost-workloads.ts";

const FULL = { rounds: 20, slices: 10 };
const QUICK = { rounds: 3, slices: 2 };

/** Number of requests after which the variants take turns, so that other activity on the machine affects all variants alike. */
const SLICE = 500;
/** Requests per second: far below half of the resources that a server can create per second on two cores. */
const PER_SECOND = 800;
/** The pause after a slice, in which the server finishes batches, bookkeeping and deliveries. The CPU time of this pause counts for every variant. */
const SETTLE_MS = 500;

/** A build of Calltrack, with or without a webhook endpoint, whose costs are measured. */
interface Variant {
  readonly title: string;
  /** The root folder of the repository that contains the build. */
  readonly root: string;
  /** Whether a webhook endpoint gets all events of all accounts. */
  readonly hasEndpoint?: boolean;
}

interface RunningVariant extends Variant {
  readonly server: RunningPeer;
  /** The process id of the postmaster, the parent of PostgreSQL's other processes. */
  readonly postmaster: number;
  readonly workloads: readonly CostWorkload[];
  readonly agent: Agent;
  /** Makes PostgreSQL write changed pages to the disk, so that the cost of each load includes its own writes and no others. */
  checkpoint(): Promise<unknown>;
}

/**
 * Measures the CPU time per created resource, in the server and in all processes of its PostgreSQL. If `against` is undefined, compares a server
 * whose webhook endpoint gets all events with a server without webhook endpoints. Otherwise, compares this build with the build in `against`.
 *
 * @param against the root folder of the repository that contains the other build.
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
    rows.push([
      title,
      `${Math.round(computeSpread(first).median * 1e6)} µs`,
      ...others.map((other) => formatRatio(other, first)),
    ]);
    console.log(rows.at(-1)?.join(" | "));
  }
  const heads = ["request", ...running.map(({ title }) => title)];
  await publishResults("cost", formatPage(rounds, slices * SLICE, heads, rows), !quick && against === undefined);
}

async function startVariant(resources: AsyncDisposableStack, variant: Variant): Promise<RunningVariant> {
  const { url } = await startPostgres(resources);
  const program = pathToFileURL(join(variant.root, "apps/server/dist/bundle/main.js")).href;
  const SECRETS_KEY = randomBytes(32).toString("base64");
  const environment = { ...calltrackPeer.environment, SECRETS_KEY, WEBHOOKS_ALLOW_PRIVATE: "on" };
  const server = await startPeer(resources, { ...calltrackPeer, program, environment }, url);
  const client = await connectToPostgres(resources, url);
  const workloads = await seedCostWorkloads(client);
  if (variant.hasEndpoint) await createWebhookReceiver(resources, server.port, () => {});
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  resources.defer(() => agent.destroy());
  return {
    ...{ ...variant, server, workloads, agent },
    postmaster: await findPostmaster(client),
    checkpoint: () => client.query("checkpoint"),
  };
}

/** Returns, for each variant, the CPU seconds per request in each round. */
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
      // Each round begins with a different variant, so that no variant always follows the same one.
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
    await sendAtConstantRate(() => create(variant, workload.next()), PER_SECOND, SLICE / PER_SECOND);
    await pause(SETTLE_MS);
  });
}

async function cpuTimeOf({ server, postmaster }: RunningVariant, work: () => Promise<unknown>): Promise<number> {
  const cpuTime = () => readProcessTreeCpuSeconds(server.pid) + readProcessTreeCpuSeconds(postmaster);
  const before = cpuTime();
  await work();
  return cpuTime() - before;
}

/** Sends a request on one of the agent's connections. `fetch` would take several times the CPU time. */
async function create({ agent, server }: RunningVariant, { path, body }: LoadRequest): Promise<void> {
  const headers = { "content-type": "application/json" };
  const sent = request({ agent, port: server.port, host: "127.0.0.1", path, method: "POST", headers });
  sent.end(body);
  // Prevents an uncaught `error` event when an interrupted run closes the connection before the response.
  sent.on("error", () => {});
  const [response] = await once(sent, "response");
  response.resume();
  await once(response, "end");
  if (response.statusCode !== 201) throw new Error(`POST ${path} returned status ${response.statusCode}, not 201`);
}

function formatRatio(costs: readonly number[], base: readonly number[]): string {
  const { median, min, max } = computeSpread(costs.map((cost, round) => cost / (base[round] as number)));
  return `${median.toFixed(3)} (${min.toFixed(2)}–${max.toFixed(2)})`;
}

function formatPage(
  rounds: number,
  requests: number,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return `# Results of costs

CPU time per created resource, in the server and in all processes of its own PostgreSQL, including checkpoints. The first column of figures is a time. Each
other column is the median ratio to this time in ${rounds} rounds, with the minimum and maximum in brackets. Each round sends ${requests.toLocaleString("en")} requests,
${PER_SECOND} per second. See [README](README.md#costs).

${formatMarkdownTable(heads, rows)}
`;
}
