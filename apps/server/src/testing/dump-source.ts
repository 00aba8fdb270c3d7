import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { DumpEnd } from "../database/dump/dump-format.js";
import { createDataLocation, type DataLocation } from "./data-location.js";
import { readDumpFile } from "./dump-file.js";
import { runServer } from "./server-process.js";

/** Incompressible rows, more than the buffers between two processes hold. */
const MANY_ROWS = `
  insert into call_tracker_changes (account_id, pool_id, call_tracker_id, tracking_number, kind, reason)
  select 1, gen_random_uuid(), gen_random_uuid(), '', 'added',
    md5(random()::text) || md5(random()::text) || md5(random()::text) || md5(random()::text)
  from generate_series(1, 20000)`;

/** A PostgreSQL database with many rows, and a dump of it. Disposing of it removes its files. */
export interface DumpSource extends AsyncDisposable {
  readonly location: DataLocation;
  /** Of the database. */
  readonly client: pg.Client;
  /** For files of the test. */
  readonly folder: string;
  /** The file of the dump. */
  readonly dump: string;
  /** The last line of the dump. */
  readonly end: DumpEnd["end"];
}

/** Makes such a database. */
export async function createDumpSource(): Promise<DumpSource> {
  const folder = await mkdtemp(join(tmpdir(), "calltrack-restore-"));
  const location = await createDataLocation("postgres");
  const client = new pg.Client({ connectionString: location.environment.DATABASE_URL });
  await client.connect();
  await client.query(MANY_ROWS);
  const dump = join(folder, "source.dump");
  await dumpTo(dump, location);
  return {
    location,
    client,
    folder,
    dump,
    end: (await readDumpFile(dump)).end,
    async [Symbol.asyncDispose]() {
      await client.end();
      await location[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

/** Dumps a database, which must succeed. */
export async function dumpTo(file: string, location: DataLocation): Promise<void> {
  const { exitCode, stderr } = await runServer(["dump", file], location.environment);
  if (exitCode !== 0) throw new Error(stderr);
}
