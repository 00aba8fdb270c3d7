import { once } from "node:events";
import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { startChild } from "../child.ts";
import { seedDatabase } from "../database-seed.ts";
import { type LoadInterval, type MixedLoadPart, startMixedLoadGenerator } from "../overload/mixed-load.ts";
import { startPeer } from "../peers/peer.ts";
import { calltrack } from "../peers/peers.ts";
import { startPostgres } from "../postgres.ts";
import { residentMemory } from "../process-figures.ts";
import { table } from "../table.ts";
import { grpcGetPool } from "../workloads/grpc-workloads.ts";
import { createPool, getPool } from "../workloads/json-workloads.ts";
import type { AttackResult } from "./attack.ts";
import { ATTACKS } from "./attacks.ts";

const FULL_SECONDS = 30;
const QUICK_SECONDS = 6;

/** Requests per second of all honest clients together. */
const HONEST_RATE = 300;

/** Timeout of honest clients. */
const TIMEOUT_MS = 1000;

const SAMPLE_MS = 100;

/** Effects of an attack on the server and its honest clients. */
interface Outcome {
  readonly name: string;
  readonly attack: AttackResult;
  readonly honest: LoadInterval;
  /** Maximum memory of the server during the attack, in bytes, and maximum number of file descriptors. */
  readonly memory: number;
  readonly descriptors: number;
}

/** Attacks a server in several ways while honest clients use it, prints the results, and writes them unless the run is quick. */
export async function runAbuseBenchmark(resources: AsyncDisposableStack, quick: boolean): Promise<void> {
  const seconds = quick ? QUICK_SECONDS : FULL_SECONDS;
  const databaseUrl = await startPostgres(resources);
  const { port, pid } = await startPeer(resources, calltrack, databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  client.on("error", () => {});
  resources.defer(() => client.end());
  const seed = await seedDatabase(client);
  const honest = startMixedLoadGenerator(resources);
  const attacker = startChild(resources, fileURLToPath(import.meta.resolve("./attacker.ts")), {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const parts: MixedLoadPart[] = [getPool, createPool, grpcGetPool].map(({ protocol, status, requests }) => ({
    protocol,
    status,
    requests: requests(seed),
    weight: 1,
    lanes: 32,
  }));
  const stages = [{ seconds, requestsPerSecond: HONEST_RATE }];
  const target = { port, longList: `/dni_manager/accounts/${seed.pools[0]?.accountToken}/pools` };
  await honest.generate({ port, parts, stages, timeoutMs: TIMEOUT_MS });
  const outcomes: Outcome[] = [];
  for (const name of Object.keys(ATTACKS)) {
    console.log(name);
    const worst = sample(pid);
    const over = once(attacker, "message");
    attacker.send({ name, target, seconds });
    const { stages: met } = await honest.generate({ port, parts, stages, timeoutMs: TIMEOUT_MS });
    const [attack] = await over;
    outcomes.push({ name, attack, honest: met[0] as LoadInterval, ...worst.stop() });
  }
  const page = formatPage(outcomes, seconds);
  console.log(page);
  if (!quick) await writeFile(new URL("../RESULTS-abuse.md", import.meta.url), page);
}

function sample(pid: number): { stop(): Pick<Outcome, "memory" | "descriptors"> } {
  let [memory, descriptors] = [0, 0];
  const timer = setInterval(() => {
    memory = Math.max(memory, residentMemory(pid));
    descriptors = Math.max(descriptors, countDescriptors(pid));
  }, SAMPLE_MS);
  return {
    stop() {
      clearInterval(timer);
      return { memory, descriptors };
    },
  };
}

/** Returns NaN without `/proc`. */
function countDescriptors(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return Number.NaN;
  }
}

function formatPage(outcomes: readonly Outcome[], seconds: number): string {
  const rows = outcomes.map(({ name, attack, honest, memory, descriptors }) => [
    name,
    String(attack.opened),
    String(attack.closed),
    Object.entries(attack.answers)
      .map(([status, count]) => `${count} × ${status}`)
      .join(", "),
    `${honest.p50.toFixed(1)}, ${honest.p99.toFixed(1)}`,
    `${(((honest.refused + honest.late) / (honest.good + honest.refused + honest.late)) * 100).toFixed(2)} %`,
    `${(memory / 1024 ** 2).toFixed(0)}`,
    String(descriptors),
  ]);
  return `# Results of abuse

Each attack lasts ${seconds} s, while honest clients send ${HONEST_RATE} requests a second. A third of them gets a pool over JSON, a third creates one, and a
third gets one over gRPC. A request without a response within ${TIMEOUT_MS / 1000} s has failed. Memory and file descriptors are the server's maximum. See
[README](README.md#abuse).

${table(["attack", "connections opened", "closed by the server", "responses", "honest p50, p99, ms", "honest failed", "memory, MB", "file descriptors"], rows)}

Measured by \`npm run bench -- abuse\` on ${availableParallelism()} cores, shared by server, database, attacker and honest clients, with Node.js ${process.versions.node}.
`;
}
