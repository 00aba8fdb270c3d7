import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPeer } from "./peers/peer.ts";
import { calltrackPeer } from "./peers/peers.ts";
import { sendJson } from "./workloads/send-json.ts";

/** Times from the start of Calltrack's process to its first response that needs the database, in milliseconds. */
export interface StartTimes {
  readonly postgres: readonly number[];
  /** Times on an embedded database whose files already exist. */
  readonly embedded: readonly number[];
}

/**
 * Starts Calltrack repeatedly, alternating between PostgreSQL and an embedded database.
 *
 * @param databaseUrl the URL of a PostgreSQL database that contains the schema.
 */
export async function measureStartTimes(
  resources: AsyncDisposableStack,
  count: number,
  databaseUrl: string,
): Promise<StartTimes> {
  const folder = await mkdtemp(join(tmpdir(), "calltrack-starts-"));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  // Creates the files of the embedded database.
  await measureStart(resources, "", folder);
  const [postgres, embedded]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < count; turn++) {
    postgres.push(await measureStart(resources, databaseUrl, folder));
    embedded.push(await measureStart(resources, "", folder));
  }
  return { postgres, embedded };
}

async function measureStart(resources: AsyncDisposableStack, databaseUrl: string, folder: string): Promise<number> {
  await using own = new AsyncDisposableStack();
  // If the run is interrupted, the disposal of `resources` also ends the process of `own`.
  resources.use(own);
  const environment = { ...calltrackPeer.environment, DATA_DIR: folder };
  const before = performance.now();
  const { port } = await startPeer(own, { ...calltrackPeer, environment }, databaseUrl);
  const { status } = await sendJson(port, { method: "GET", path: "/dni_manager/accounts/nobody/pools" });
  if (status !== 404) throw new Error(`the first response has status ${status}`);
  return performance.now() - before;
}
