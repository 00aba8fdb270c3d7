import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Spread, spreadOf } from "./comparison.ts";
import { startPeer } from "./peers/peer.ts";
import { calltrack } from "./peers/peers.ts";

/** From the start of our process to its first answer out of the database, in milliseconds. */
export interface Starts {
  readonly postgres: Spread;
  /** On a database of its own whose files exist. */
  readonly embedded: Spread;
}

/** Starts our server over and over on a database that has its tables. */
export async function measureStarts(
  resources: AsyncDisposableStack,
  databaseUrl: string,
  count: number,
): Promise<Starts> {
  const folder = await mkdtemp(join(tmpdir(), "calltrack-starts-"));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  // Makes the files.
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
  // Ends the process when the run is interrupted, too.
  resources.use(own);
  const environment = { ...calltrack.environment, DATA_DIR: folder };
  const before = performance.now();
  const { port } = await startPeer(own, { ...calltrack, environment }, databaseUrl);
  const response = await fetch(`http://127.0.0.1:${port}/dni_manager/accounts/nobody/pools`);
  await response.text();
  if (response.status !== 404) throw new Error(`the first answer has status ${response.status}`);
  return performance.now() - before;
}
