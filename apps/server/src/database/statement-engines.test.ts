import { join } from "node:path";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import fc from "fast-check";
import { CompiledQuery, sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { MethodName } from "../testing/api-client.js";
import { createDataLocation, createEmptyDataLocation, type DataLocation } from "../testing/data-location.js";
import { dumpToFile } from "../testing/dump-source.js";
import { createJsonClient } from "../testing/json-client.js";
import { connectToPostgres } from "../testing/pg-client.js";
import { addSampleData, readAllResources } from "../testing/sample-data.js";
import { newSampleAccount, sampleRequests } from "../testing/sample-requests.js";
import { runServer } from "../testing/server-process.js";
import { serveDatabase } from "../testing/test-server.js";
import { type Database, openDatabase } from "./open-database.js";
import { listStatements } from "./prepared-statement.js";
// Registers all prepared statements.
import "../start-server.js";

/** Maximum number of runs of a statement with generated values. The runs stop after `MIN_RUNS` runs if one of them has found rows. */
const MAX_RUNS = 24;

/** Minimum number of runs of a statement, even if it has found rows. */
const MIN_RUNS = 6;

/** Maximum number of recorded runs per statement that the test repeats. */
const MAX_RECORDED = 4;

/** Maximum distance from the current time at which a time in a result counts as the time of the statement. */
const NOW_MS = 600_000;

const STATEMENTS = [
  ...new Set(listStatements().flatMap(({ sql, batch }) => (batch === undefined ? [sql] : [sql, batch.sql]))),
];

/** Columns of type `bigint`, which only one of the drivers returns as text. The server converts their values before it calculates with them. */
const BIGINTS = new Set(["place", "id", "position"]);

/**
 * The SQLSTATE of the error for JSON with another structure than the server sends. Whether a statement reads the JSON, and fails, depends on the
 * plan.
 */
const UNREADABLE_JSON = "22023";

/** The result of a statement: its rows, or the SQLSTATE of its error. */
interface Result {
  readonly rows?: readonly string[];
  readonly error?: string;
}

const folder = createFolder();
const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

let engines: readonly Database[];
/** A connection to the PostgreSQL server, which reports the types of a statement's parameters. */
let client: pg.Client;
/** The lists of parameter values with which a server ran each statement, keyed by the SQL of the statement. */
const recorded = new Map<string, (readonly unknown[])[]>();
/** Sample values, keyed by the PostgreSQL type: values from the rows of the sample data, and a few more. */
const samples = new Map<string, unknown[]>();
/** The UUIDs in the sample data. A statement has generated any other UUID in its result. */
const uuids = new Set<string>();
let hits = 0;

/** Adds sample data to the PostgreSQL database, and restores a dump of it in the embedded database, so that both engines have the same rows. */
beforeAll(async () => {
  const postgres = stack.use(await createDataLocation("postgres"));
  const embedded = stack.use(await createEmptyDataLocation("embedded"));
  await recordRequests(postgres.environment.DATABASE_URL ?? "");
  client = await connectToPostgres(postgres.environment.DATABASE_URL);
  stack.defer(() => client.end());
  await client.query("update clock set advanced = '0'");
  await dumpToFile(join(folder, "data"), postgres);
  expect(await runServer(["restore", join(folder, "data")], embedded.environment)).toMatchObject({ exitCode: 0 });
  engines = [open(postgres), open(embedded)];
  // Resumes the webhook endpoints, which the restore has made inactive.
  for (const { kysely } of engines)
    await sql`update webhook_endpoints set is_active = true, inactive_reason = null, updated_at = created_at`.execute(
      kysely,
    );
  await readSamples();
});

/** Sends requests of every kind to a server, and records with which values it runs each statement. */
async function recordRequests(url: string): Promise<void> {
  const query = vi.spyOn(pg.Client.prototype, "query");
  const server = await serveDatabase({ kind: "postgres", url }, { hasVirtualClock: true, managesPools: false });
  await addSampleData(server.url);
  await readAllResources(server.url);
  const api = createJsonClient(server.url);
  const account = await newSampleAccount(api, server);
  for (const [method, requestOf] of Object.entries(sampleRequests)) {
    // Skips streaming methods, which the JSON client cannot call. Streaming methods run the same statements as lists.
    if (method in api) await api[method as MethodName](requestOf(account));
  }
  api.close();
  await server.stop();
  for (const [config] of query.mock.calls as unknown as [Partial<pg.QueryConfig> | string][]) {
    if (typeof config === "string" || config.text === undefined) continue;
    const known = recorded.get(config.text) ?? [];
    if (known.length < MAX_RECORDED) recorded.set(config.text, [...known, config.values ?? []]);
  }
  query.mockRestore();
}

function open({ environment: { DATABASE_URL: url, DATA_DIR: directory = "" } }: DataLocation): Database {
  const database = openDatabase(url === undefined ? { kind: "embedded", directory } : { kind: "postgres", url });
  stack.defer(() => database.close());
  return database;
}

async function readSamples(): Promise<void> {
  for (const [type, values] of [
    ["boolean", [true, false]],
    ["integer", [0, 1, 2, 100]],
    ["bigint", [0, 1, 100]],
    ["double precision", [0.5, 1, 100]],
    ["text", ["", "day", "x"]],
  ] as const)
    samples.set(type, [...values]);
  const { rows: columns } = await client.query<{ table: string; column: string; type: string }>(
    `select attrelid::regclass::text as table, quote_ident(attname) as column, format_type(atttypid, atttypmod) as type
     from pg_attribute join pg_class on attrelid = pg_class.oid
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and attnum > 0 and not attisdropped`,
  );
  for (const { table, column, type } of columns) {
    const { rows } = await client.query(
      `select distinct on (${column}::text) ${column}${type === "interval" ? "::text" : ""} as value from ${table} where ${column} is not null limit 4`,
    );
    // Skips `jsonb` columns, because statements get records as one array. The samples of `jsonb` are therefore arrays of whole rows.
    if (type !== "jsonb")
      addSamples(
        type,
        rows.map(({ value }) => value),
      );
  }
  for (const table of new Set(columns.map(({ table }) => table))) {
    const { rows } = await client.query(`select to_jsonb(part) as value from (select * from ${table} limit 2) part`);
    addSamples("jsonb", [JSON.stringify(rows.map(({ value }) => value))]);
  }
  for (const value of samples.get("uuid") ?? []) uuids.add(String(value));
}

function addSamples(type: string, values: readonly unknown[]): void {
  samples.set(type, [...(samples.get(type) ?? []), ...values]);
}

function samplesOf(type: string): readonly unknown[] {
  return samples.get(type.replace("[]", "").replace(/^json$/, "jsonb")) ?? [];
}

/** Returns values for the parameters of a statement. All arrays have the same length, because `unnest` pairs their elements. */
async function valuesOf(statement: string): Promise<readonly (readonly unknown[])[]> {
  await client.query(`prepare typed as ${statement}`);
  const { rows } = await client.query<{ types: string[] }>(
    "select parameter_types::text[] as types from pg_prepared_statements where name = 'typed'",
  );
  await client.query("deallocate typed");
  const types = rows[0]?.types ?? [];
  if (types.length === 0) return [[]];
  const arbitraries = types.map((type) => {
    const values = fc.constantFrom(null, ...samplesOf(type));
    const given = fc.constantFrom(...(samplesOf(type).length > 0 ? samplesOf(type) : [null]));
    if (type.endsWith("[]")) return fc.array(given, { minLength: 2, maxLength: 2 });
    return fc.oneof({ weight: 1, arbitrary: values }, { weight: 7, arbitrary: given });
  });
  const known = recorded.get(statement) ?? [];
  return [...known, ...fc.sample(fc.tuple(...arbitraries), { numRuns: MAX_RUNS, seed: 1 })];
}

/** Runs a statement, and rolls its changes back. */
async function run({ kysely }: Database, statement: string, values: readonly unknown[]): Promise<Result> {
  let rows: readonly unknown[] | undefined;
  try {
    await kysely.transaction().execute(async (transaction) => {
      ({ rows } = await transaction.executeQuery(CompiledQuery.raw(statement, [...values])));
      throw new Error("take back");
    });
  } catch (error) {
    if (rows === undefined) return { error: String((error as { code?: unknown }).code ?? error) };
  }
  const texts = (rows ?? []).map(withoutChance);
  return { rows: /order by [^)]*$/s.test(statement) ? texts : texts.toSorted() };
}

/** Formats a row as text. Replaces the time of the statement and the UUIDs that it generated, because they differ between runs. */
function withoutChance(row: unknown): string {
  const plain = Object.entries(row as object).map(([name, value]) => {
    if (value instanceof Uint8Array) return [name, Buffer.from(value).toString("base64")];
    return [name, BIGINTS.has(name) ? Number(value) : value];
  });
  return JSON.stringify(plain)
    .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|[+-]\d\d(?::\d\d)?)/g, (time) =>
      Math.abs(Date.parse(time) - Date.now()) < NOW_MS ? "now" : time,
    )
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, (uuid) => (uuids.has(uuid) ? uuid : "new"));
}

test.each(STATEMENTS.map((statement) => [statement.trim().replaceAll(/\s+/g, " ").slice(0, 120), statement]))(
  "%s",
  async (_, statement) => {
    let isHit = false;
    for (const [index, values] of (await valuesOf(statement)).entries()) {
      if (isHit && index >= MIN_RUNS) break;
      const [postgres = {}, embedded = {}] = await Promise.all(engines.map((each) => run(each, statement, values)));
      if ([postgres.error, embedded.error].includes(UNREADABLE_JSON)) continue;
      expect(embedded, JSON.stringify(values)).toEqual(postgres);
      isHit ||= (postgres.rows ?? []).length > 0;
    }
    if (isHit) hits++;
  },
);

// The other statements insert existing rows, or find nothing to delete or to lease. Both engines then return the same error, or no row.
test("two of three statements find rows", () => {
  expect(hits).toBeGreaterThan((STATEMENTS.length * 2) / 3);
});

// Reads run on connections of their own, which must not wait for locks, and are repeated after a lost connection.
test("a statement that changes or locks rows is no read, even if that part of it is raw SQL", () => {
  const change = /\b(?:insert into|update|delete from|merge into|for (?:no key )?update|for (?:key )?share)\b/i;
  const reads = listStatements().filter(({ sql, writes }) => change.test(sql) && !writes);
  expect(reads.map(({ sql }) => sql)).toEqual([]);
});
