import { setTimeout as pause } from "node:timers/promises";
import type { Spread } from "../comparison.ts";
import { formatMarkdownTable } from "../markdown-table.ts";
import { connectToPostgres, type PostgresServer, startPostgres } from "../postgres.ts";
import { publishResults } from "../results-page.ts";
import { type Fault, type FaultEffect, summarizeFaultEffect } from "./fault-effect.ts";
import { type FaultLoad, type RequestAttempt, startFaultLoad } from "./fault-load.ts";
import { openMovableProxy } from "./movable-proxy.ts";
import { createGrpcPoolClient, createJsonPoolClient } from "./pool-client.ts";
import { createPoolOwners } from "./pool-owners.ts";
import { type SupervisedServer, startSupervisedServer } from "./supervised-server.ts";
import { checkWrites, type WriteCheck } from "./write-check.ts";

const FULL = { restarts: 10, kills: 10 };
const QUICK = { restarts: 2, kills: 2 };

/** The standby reconnects quickly, because all writes wait for it and the benchmark measures only Calltrack. */
const SETTINGS = ["wal_retrieve_retry_interval=50ms"];

const CLIENTS_OF_A_PROTOCOL = 4;

const STEADY_MS = 1500;

const MAX_RECOVERY_MS = 60_000;

const RESTART = "PostgreSQL restarted, `-m immediate`";
const KILL = "server killed, `kill -9`";
const FAILOVER = "primary crashed, standby promoted";

interface Scene {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  readonly server: SupervisedServer;
  readonly load: FaultLoad;
  moveToStandby(): void;
}

/**
 * Injects faults under load, and prints their effects. A full run also writes the effects to the results page.
 *
 * @throws Error if an acknowledged write is lost, or a write was done twice.
 */
export async function runFaultsBenchmark(resources: AsyncDisposableStack, quick: boolean): Promise<void> {
  const plan = quick ? QUICK : FULL;
  const { effects, check } = await makeFaults(resources, plan);
  await publishResults("faults", formatPage(effects, check), !quick);
  if (check.lost > 0 || check.doubled > 0)
    throw new Error("acknowledged writes were lost, or writes were stored twice");
}

async function makeFaults(resources: AsyncDisposableStack, { restarts, kills }: typeof FULL) {
  const primary = await startPostgres(resources, SETTINGS);
  const standby = await startPostgres(resources, SETTINGS, primary.url);
  const proxy = await openMovableProxy(resources, Number(new URL(primary.url).port));
  const url = new URL(primary.url);
  url.port = String(proxy.port);
  const server = await startSupervisedServer(resources, url.href);
  // With synchronous replication, acknowledged writes are on both servers.
  await query(primary.url, "alter system set synchronous_standby_names = '*'");
  await query(primary.url, "select pg_reload_conf()");
  const ofEach = <T>(create: () => T) => Array.from({ length: CLIENTS_OF_A_PROTOCOL }, create);
  const clients = [
    ...ofEach(() => createJsonPoolClient(server.port)),
    ...ofEach(() => createGrpcPoolClient(server.port)),
  ];
  const owners = await createPoolOwners(server.port, clients.length);
  const load = startFaultLoad(clients, owners);
  const moveToStandby = () => proxy.moveTo(Number(new URL(standby.url).port));
  const scene: Scene = { primary, standby, server, load, moveToStandby };
  const faults: Fault[] = [];
  await recover(load, performance.now());
  for (let count = 0; count < restarts; count++) faults.push(await make(RESTART, scene, restart));
  for (let count = 0; count < kills; count++) faults.push(await make(KILL, scene, async () => server.kill()));
  faults.push(await make(FAILOVER, scene, failOver));
  await load.stop();
  return {
    effects: [RESTART, KILL, FAILOVER].map((kind) => summarizeFaultEffect(kind, faults, load.attempts)),
    check: await checkWrites(server.port, owners, load.acknowledged),
  };
}

async function make(kind: string, scene: Scene, fault: (scene: Scene) => Promise<void>): Promise<Fault> {
  const at = performance.now();
  await fault(scene);
  await recover(scene.load, performance.now());
  const until = performance.now();
  console.log(`${kind}: recovered ${Math.round(until - STEADY_MS - at)} ms later`);
  return { kind, at, until };
}

async function restart({ primary }: Scene): Promise<void> {
  await primary.crash();
  await primary.start();
}

async function failOver({ primary, standby, moveToStandby }: Scene): Promise<void> {
  await primary.crash();
  await query(standby.url, "select pg_promote()");
  moveToStandby();
}

/** Waits until reads and writes have succeeded, and no request has failed, for `STEADY_MS`. */
async function recover({ attempts }: FaultLoad, since: number): Promise<void> {
  for (;;) {
    await pause(50);
    const now = performance.now();
    if (now - since > MAX_RECOVERY_MS) throw new Error(`the server did not recover within ${MAX_RECOVERY_MS / 1000} s`);
    const latest = lately(attempts, now - STEADY_MS);
    const isGood = (isWrite: boolean) => latest.some((each) => each.isWrite === isWrite);
    const areGood = latest.every(({ failure }) => failure === undefined);
    if (now - since > STEADY_MS && areGood && isGood(false) && isGood(true)) return;
  }
}

/** Returns the attempts that ended at or after `since`. The given attempts must be in the order in which they ended. */
function lately(attempts: readonly RequestAttempt[], since: number): readonly RequestAttempt[] {
  const before = attempts.findLastIndex(({ answeredAt }) => answeredAt < since);
  return attempts.slice(before + 1);
}

async function query(url: string, text: string): Promise<void> {
  await using resources = new AsyncDisposableStack();
  await (await connectToPostgres(resources, url)).query(text);
}

function formatPage(effects: readonly FaultEffect[], check: WriteCheck): string {
  const heads = ["fault", "count", "read outage, ms", "write outage, ms", "failed reads", "failed writes", "reasons"];
  return `# Results of the faults benchmark

${2 * CLIENTS_OF_A_PROTOCOL} clients, half over JSON and half over gRPC, create pools one after another and read at the same time. Meanwhile, faults occur, which only
usual automation repairs: PostgreSQL and the server's process restart after a crash, and the proxy in front of the primary moves to
the synchronous standby. A write has an idempotency key and is retried with it until it is acknowledged. See
[README](README.md#faults).

| acknowledged writes | lost | done twice |
| --- | --- | --- |
| ${check.acknowledged} | **${check.lost}** | **${check.doubled}** |

An outage is the longest time without a successful response to any client: the median, and the maximum in brackets. For most of it, PostgreSQL
itself or the process is unavailable. Failures count from a fault to the next fault, which follows ${STEADY_MS / 1000} s after recovery.

${formatMarkdownTable(heads, effects.map(effectRow))}
`;
}

function effectRow({ kind, count, reads, writes, failedReads, failedWrites, failures }: FaultEffect): string[] {
  const ms = ({ median, max }: Spread) => `**${Math.round(median)}** (${Math.round(max)})`;
  const percent = (share: number) => `${(share * 100).toFixed(2)} %`;
  const how = [...failures].toSorted((a, b) => b[1] - a[1]).map(([reason, each]) => `${each} ${reason}`);
  return [kind, `${count}`, ms(reads), ms(writes), percent(failedReads), percent(failedWrites), how.join(", ")];
}
