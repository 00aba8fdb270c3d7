import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Spread, spreadOf } from "./comparison.ts";
import { type Peer, startPeer } from "./peers/peer.ts";

/** Time from the start of Calltrack's process to its first response from the database, in milliseconds. */
export interface Starts {
  readonly postgres: Spread;
  /** On an embedded database whose files exist. */
  readonly embedded: Spread;
}

/** A build of Calltrack, with a database that has its schema. */
export interface StartedBuild {
  readonly build: Peer;
  readonly databaseUrl: string;
}

/**
 * Starts builds of Calltrack in turn, repeatedly.
 *
 * @returns the times of each build, in the same order.
 */
export async function measureStarts(
  resources: AsyncDisposableStack,
  count: number,
  builds: readonly StartedBuild[],
): Promise<Starts[]> {
  const subjects = await Promise.all(builds.map((each) => prepareFolder(resources, each)));
  for (let turn = 0; turn < count; turn++) {
    for (const { build, databaseUrl, folder, postgres, embedded } of subjects) {
      postgres.push(await measureStart(resources, build, databaseUrl, folder));
      embedded.push(await measureStart(resources, build, "", folder));
    }
  }
  return subjects.map(({ postgres, embedded }) => ({ postgres: spreadOf(postgres), embedded: spreadOf(embedded) }));
}

/** Creates the files of an embedded database for a build. */
async function prepareFolder(resources: AsyncDisposableStack, { build, databaseUrl }: StartedBuild) {
  const folder = await mkdtemp(join(tmpdir(), "calltrack-starts-"));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  await measureStart(resources, build, "", folder);
  return { build, databaseUrl, folder, postgres: [] as number[], embedded: [] as number[] };
}

async function measureStart(
  resources: AsyncDisposableStack,
  build: Peer,
  databaseUrl: string,
  folder: string,
): Promise<number> {
  await using own = new AsyncDisposableStack();
  // Also ends the process if the run is interrupted.
  resources.use(own);
  const environment = { ...build.environment, DATA_DIR: folder };
  const before = performance.now();
  const { port } = await startPeer(own, { ...build, environment }, databaseUrl);
  const response = await fetch(`http://127.0.0.1:${port}/dni_manager/accounts/nobody/pools`);
  await response.text();
  if (response.status !== 404) throw new Error(`the first response has status ${response.status}`);
  return performance.now() - before;
}
