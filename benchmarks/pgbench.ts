import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Seed } from "./database-seed.ts";
import { CREATE_POOL, GET_POOL } from "./peers/pool-statements.ts";
import { findPostgresProgram } from "./postgres-program.ts";
import type { Contestant } from "./rounds.ts";

const CLIENTS = 16;
/** Number of pools or accounts to cycle through. Each is a script, which pgbench prepares on each connection. */
const SUBJECTS = 40;
/** Minimum duration of a run. In less time, preparing statements would dominate. */
const MIN_SECONDS = 3;

const POOL = ["030", "Numbers for the spring campaign", "t", "f", "t", "automanaged", "prop_1f0e3dad", "10", "0.5"];

/** The statement of each workload that pgbench can run, with parameters for each pool or account. */
const STATEMENTS: Readonly<Record<string, { text: string; values: (seed: Seed) => readonly (readonly string[])[] }>> = {
  get: { text: GET_POOL, values: ({ pools }) => pools.map(({ accountToken, id }) => [accountToken, id]) },
  create: {
    text: CREATE_POOL,
    values: ({ writtenAccounts }) =>
      writtenAccounts.map(({ accountToken, phoneNumber }) => [accountToken, phoneNumber, ...POOL]),
  },
};

/** Creates a contestant that runs pgbench and measures transactions per second; undefined if the workload has no statement. */
export type Pgbench = (workload: string, seed: Seed) => Promise<Contestant<number> | undefined>;

/**
 * Finds pgbench: by the variable `PGBENCH`, or where packages of PostgreSQL install it.
 *
 * @returns undefined if it is not installed.
 */
export function findPgbench(resources: AsyncDisposableStack, databaseUrl: string): Pgbench | undefined {
  const program = findPostgresProgram("pgbench");
  if (program === undefined) return undefined;
  const interruption = new AbortController();
  resources.defer(() => interruption.abort());
  return async (workload, seed) => {
    const statement = STATEMENTS[workload];
    if (statement === undefined) return undefined;
    const folder = await mkdtemp(join(tmpdir(), "calltrack-pgbench-"));
    resources.defer(() => rm(folder, { recursive: true, force: true }));
    const subjects = statement.values(seed).slice(0, SUBJECTS);
    const options = (await Promise.all(subjects.map((values, index) => script(folder, statement.text, values, index))))
      .flat()
      .concat("-n", "-M", "prepared", "-c", `${CLIENTS}`, "-j", "2");
    return async (seconds) => {
      const time = Math.max(MIN_SECONDS, Math.ceil(seconds));
      const { signal } = interruption;
      const { stdout } = await promisify(execFile)(program, [...options, "-T", `${time}`, databaseUrl], { signal });
      return Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
    };
  };
}

/** Writes the script for one pool or account. Its parameters are pgbench variables, which pgbench sends as parameters. */
async function script(folder: string, text: string, values: readonly string[], index: number): Promise<string[]> {
  const file = join(folder, `${index}.sql`);
  const variable = (place: number) => `p${index}_${place}`;
  await writeFile(file, `${text.replace(/\$(\d+)/g, (_, place) => `:${variable(Number(place))}`)};\n`);
  return ["-f", file, ...values.flatMap((value, place) => ["-D", `${variable(place + 1)}=${value}`])];
}
