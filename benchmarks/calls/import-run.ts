import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type RunningPeer, startPeer } from "../peers/peer.ts";
import { calltrack } from "../peers/peers.ts";
import { peakMemory } from "../process-figures.ts";

const CLI = fileURLToPath(import.meta.resolve("../../apps/cli/bin/calltrack.cjs"));
const NUMBERS = 100;
const DAY_MS = 86_400_000;
/** Long, because counting the calls takes the server's time. */
const POLL_MS = 1000;

/** An import that is killed half way and repeated. */
export interface ImportRun {
  readonly engine: string;
  readonly calls: number;
  /** Calls that the server had recorded when the command was killed. */
  readonly killedAfter: number;
  /** Calls that the first run recorded per second, from its first to its last response. */
  readonly callsPerSecond: number;
  /** Counts of the second run. */
  readonly created: number;
  readonly alreadyThere: number;
  readonly repetitionSeconds: number;
  /** Calls of the account after both. */
  readonly found: number;
  /** Peak memory, in bytes. */
  readonly cliMemory: number;
  readonly serverMemory: number;
}

/**
 * Imports calls from a CSV file with the command line, kills it with SIGKILL when half of them are recorded, and imports the file again.
 *
 * @param databaseUrl the URL of an empty PostgreSQL database; empty for a new embedded database.
 */
export async function runImport(
  resources: AsyncDisposableStack,
  databaseUrl: string,
  calls: number,
): Promise<ImportRun> {
  await using own = new AsyncDisposableStack();
  // Also ends the processes if the run is interrupted.
  resources.use(own);
  const folder = await mkdtemp(join(tmpdir(), "calltrack-import-"));
  own.defer(() => rm(folder, { recursive: true, force: true }));
  // The virtual clock makes the numbers old enough for the calls.
  const environment = { ...calltrack.environment, DATA_DIR: folder, PASSES: "on", CLOCK: "virtual" };
  const server = await startPeer(own, { ...calltrack, environment }, databaseUrl);
  const file = join(folder, "calls.csv");
  await pipeline(Readable.from(rowsOf(calls, await createNumbers(server))), createWriteStream(file));

  const first = startImport(own, server, file);
  const start = await pollUntil(
    first.child,
    () => countCalls(server),
    (recorded) => recorded > 0,
  );
  const end = await pollUntil(
    first.child,
    () => countCalls(server),
    (recorded) => recorded >= calls / 2,
  );
  const cliMemory = peakMemory(first.child.pid ?? Number.NaN);
  first.child.kill("SIGKILL");
  await first.ended;

  const before = performance.now();
  const second = startImport(own, server, file);
  let secondMemory = 0;
  const watch = setInterval(() => {
    secondMemory = peakMemory(second.child.pid ?? Number.NaN) || secondMemory;
  }, POLL_MS);
  const tally = JSON.parse(await second.ended);
  clearInterval(watch);
  const repetitionSeconds = (performance.now() - before) / 1000;
  const found = await countCalls(server);
  if (found !== calls) throw new Error(`the account has ${found} calls after the import of ${calls}`);
  return {
    ...{ engine: databaseUrl === "" ? "embedded" : "PostgreSQL", calls, killedAfter: end.recorded, repetitionSeconds },
    callsPerSecond: ((end.recorded - start.recorded) / (end.at - start.at)) * 1000,
    ...{ created: tally.created, alreadyThere: tally.already_there, found },
    ...{ cliMemory: Math.max(cliMemory, secondMemory), serverMemory: peakMemory(server.pid) },
  };
}

function startImport(
  resources: AsyncDisposableStack,
  { port }: RunningPeer,
  file: string,
): { readonly child: ChildProcess; readonly ended: Promise<string> } {
  const args = [CLI, "--server", `http://127.0.0.1:${port}`, "--output", "json", "calls", "import", file];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  resources.defer(() => void child.kill("SIGKILL"));
  const output = (child.stdout as Readable).toArray();
  const ended = once(child, "exit").then(async () => Buffer.concat(await output).toString());
  return { child, ended };
}

async function pollUntil(
  child: ChildProcess,
  count: () => Promise<number>,
  isEnough: (recorded: number) => boolean,
): Promise<{ readonly recorded: number; readonly at: number }> {
  for (;;) {
    const recorded = await count();
    if (isEnough(recorded)) return { recorded, at: performance.now() };
    if (child.exitCode !== null) throw new Error(`the import ended with exit code ${child.exitCode}`);
    await pause(POLL_MS);
  }
}

async function countCalls({ port }: RunningPeer): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/dni_manager/accounts/acme/calls:report`);
  const [report] = (await response.json()) as { readonly calls: number }[];
  return report?.calls ?? 0;
}

/** Creates an account with a pool, and returns its tracking numbers and a time from which it holds them. */
async function createNumbers(
  server: RunningPeer,
): Promise<{ readonly numbers: readonly string[]; readonly from: number }> {
  const account = "/dni_manager/accounts/acme";
  const tracking_numbers = Array.from({ length: NUMBERS }, (_, index) => {
    return { phone_number: `+1415555${String(1000 + index)}`, area_code: "415" };
  });
  const pool = { original_number: "+12223334444", area_code: "415", pool_type: "manual", size: NUMBERS };
  const flags = { is_dni: true, is_prompted: false, is_recorded: true };
  await post(server, "/call_tracking/accounts", { account_token: "acme" });
  await post(server, `${account}/phone_numbers`, { phone_number: "+12223334444" });
  await post(server, "/dni_manager/tracking_numbers:add", { tracking_numbers });
  await post(server, `${account}/pools`, { ...pool, ...flags });
  await post(server, "/dni_manager/clock:advance", { by: "3600s" });
  const clock = await post(server, "/dni_manager/clock:advance", { by: "86400s" });
  return {
    numbers: tracking_numbers.map(({ phone_number }) => phone_number),
    from: Date.parse(clock.now) - DAY_MS / 2,
  };
}

/** A third of the calls are from new callers, and half are answered. */
function* rowsOf(calls: number, { numbers, from }: Awaited<ReturnType<typeof createNumbers>>): Iterable<string> {
  yield "call_id,tracking_number,caller_number,started_at,answered_at,ended_at\n";
  for (let index = 0; index < calls; index++) {
    const start = from + Math.floor((index * DAY_MS) / 2 / calls) - 600_000;
    const time = (ms: number) => new Date(start + ms).toISOString();
    const caller = `+1${3_000_000_000 + (index % Math.ceil(calls / 3))}`;
    const answer = index % 2 === 0 ? time(8_000) : "";
    yield `${index}.${start},${numbers[index % NUMBERS]},${caller},${time(0)},${answer},${time(60_000)}\n`;
  }
}

async function post({ port }: RunningPeer, path: string, body: object): Promise<{ readonly now: string }> {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} has status ${response.status}: ${await response.text()}`);
  return (await response.json()) as { readonly now: string };
}
