import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { sql } from "kysely";
import type pg from "pg";
import { afterAll } from "vitest";
import type { DumpEndLine, DumpHeaderLine } from "../database/dump/dump-format.js";
import { acquireMigrationLock, migrateWithinTransaction } from "../database/migrate.js";
import { openDatabase } from "../database/open-database.js";
import { createDataLocation, type DataLocation } from "./data-location.js";
import { connectToPostgres } from "./pg-client.js";
import { runServer } from "./server-process.js";
import { createEmptyDatabase } from "./test-database.js";

interface DumpLines extends DumpEndLine {
  readonly header: DumpHeaderLine;
  /** The lines between the header and the last line. */
  readonly data: readonly string[];
}

export async function readDumpFile(file: string): Promise<DumpLines> {
  const lines = gunzipSync(await readFile(file))
    .toString()
    .split("\n");
  return { header: JSON.parse(lines[0] ?? ""), data: lines.slice(1, -2), ...JSON.parse(lines.at(-2) ?? "") };
}

/** Writes the lines to a gzip-compressed dump file without validation, so that tests can create invalid dumps. */
export async function writeDumpFile(file: string, lines: readonly string[]): Promise<void> {
  await writeFile(file, gzipSync(lines.map((line) => `${line}\n`).join("")));
}

/** A dump of this many rows is several times larger than all buffers between the writing and the reading process. */
const MANY_ROWS = 8000;

/** Adds `$1` rows with random text, which compression hardly shrinks. */
const ADD_ROWS = `
  insert into call_tracker_changes (account_id, pool_id, call_tracker_id, tracking_number, kind, reason)
  select 1, gen_random_uuid(), gen_random_uuid(), '', 'added',
    md5(random()::text) || md5(random()::text) || md5(random()::text) || md5(random()::text)
  from generate_series(1, $1::integer)`;

/** A PostgreSQL database with rows, and a dump of it. */
export interface DumpSource {
  readonly location: DataLocation;
  readonly client: pg.Client;
  readonly folder: string;
  readonly dump: string;
  /** The last line of the dump. */
  readonly end: DumpEndLine["end"];
}

/** Creates a database with `rows` rows and writes a dump of the database. The database and the dump are removed after the tests of the test file. */
export async function createDumpSource(rows = MANY_ROWS): Promise<DumpSource> {
  const folder = createFolder();
  const location = await createDataLocation("postgres");
  const client = await connectToPostgres(location.environment.DATABASE_URL);
  afterAll(async () => {
    await client.end();
    await location[Symbol.asyncDispose]();
  });
  await client.query(ADD_ROWS, [rows]);
  const dump = join(folder, "source.dump");
  await dumpToFile(dump, location);
  return { location, client, folder, dump, end: (await readDumpFile(dump)).end };
}

/**
 * Runs the server's `dump` command.
 *
 * @throws Error with the command's stderr if the command fails.
 */
export async function dumpToFile(file: string, location: DataLocation): Promise<void> {
  const { exitCode, stderr } = await runServer(["dump", file], location.environment);
  if (exitCode !== 0) throw new Error(stderr);
}

/** Writes a dump of a database with the schema of an old release. Account 7 has one registered phone number. */
export async function writeOldDump(file: string): Promise<void> {
  const location = await createEmptyDatabase("postgres");
  const { kysely, close } = openDatabase(location);
  await kysely.transaction().execute(async (transaction) => {
    await acquireMigrationLock(transaction);
    await migrateWithinTransaction(transaction, "0003-pass-leases");
    await sql`insert into accounts (id, account_token) values (7, 'old')`.execute(transaction);
    await sql`
      insert into account_handles (handle, account_id, account_token) values ('old', 7, 'old'), ('7', 7, 'old')`.execute(
      transaction,
    );
    await sql`insert into phone_numbers (account_id, phone_number) values (7, '+15550001111')`.execute(transaction);
  });
  await close();
  await dumpToFile(file, { environment: { DATABASE_URL: location.url }, [Symbol.asyncDispose]: async () => {} });
}
