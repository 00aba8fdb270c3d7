import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Spread, spreadOf } from "./comparison.ts";
import { startPeer } from "./peers/peer.ts";
import { calltrack } from "./peers/peers.ts";

/** Time from the start of Calltrack's process to its first response from the database, in milliseconds. */
export interface Starts {
  readonly postgres: Spread;
  /** On an embedded database whose files exist. */
  readonly embedded: Spread;
}

/** Starts Calltrack repeatedly on a database with the current schema. */
export async function measureStarts(
  resources: AsyncDisposableStack,
  databaseUrl: string,
  count: number,
): Promise<Starts> {
  const folder = await mkdtemp(join(tmpdir(), "calltrack-starts-"));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  // Creates the files.
  await measureStart(resources, "", folder);
  const postgres: number[] = [];
  const embedded: number[] = [];
  for (let turn = 0; turn < count; turn++) {
    postgres.push(await measureStart(resources, databaseUrl, folder));
    embedded.push(await measureStart(resources, "", folder));
  }
  return { postgres: spreadOf(postgres), embedded: spreadOf(embedded) };
}

async function measureStart(resources: AsyncDisposableStack, databaseUrl: string, folder: string): Promise<number> {
  await using own = new AsyncDisposableStack();
  // Also ends the process if the run is interrupted.
  resources.use(own);
  const environment = { ...calltrack.environment, DATA_DIR: folder };
  const before = performance.now();
  const { port } = await startPeer(own, { ...calltrack, environment }, databaseUrl);
  const response = await fetch(`http://127.0.0.1:${port}/dni_manager/accounts/nobody/pools`);
  await response.text();
  if (response.status !== 404) throw new Error(`the first response has status ${response.status}`);
  return performance.now() - before;
}
