import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, dropTestDatabase, HAS_CITUS } from "../../testing/test-database.js";
import { PREPARED_STATEMENTS } from "../prepared-statement.js";
// Prepares all statements.
import "../../start-server.js";
import type { DatabaseLocation } from "../../config/database-location.js";

/** What asks more than one shard although most statements must not, and why. */
interface Exception {
  readonly statement: RegExp;
  readonly reason: string;
}

const EXCEPTIONS: readonly Exception[] = [
  { statement: /^select "id", "account_token", .* from "accounts" where "id" > \$1/, reason: "it lists all accounts" },
  {
    statement: /^select "pool"\."id" as "pool_id", .*"property_token" = \$\d/s,
    reason: "a page names a property, and several accounts may have one of that name",
  },
  {
    statement: /^select distinct "account_id" from "pools" where "property_token"/,
    reason: "a page names a property, and several accounts may have one of that name",
  },
  {
    statement: /^select "account_id", "pool_id", coalesce\(leased_until, due_at\)/,
    reason: "the runner looks for pools that are due, whosever they are",
  },
  {
    statement: /^select coalesce\(leased_until, due_at\) as "due_at" from "pool_passes"/,
    reason: "the runner looks for the next pool that is due, whosever it is",
  },
  {
    statement: /^select max\("passed_at"\)/,
    reason: "when the runner starts, it looks for the last pass over whatever pool",
  },
  {
    statement: /^with "later" as \(select "account_id", "pool_id" from "pool_passes"/,
    reason: "when the clock steps back, all pools are made due",
  },
  {
    statement: /^select "account_id", "pool_id" from "pool_passes" where "wanted_area_code"/,
    reason: "numbers that were added are for whoever waits for them",
  },
  {
    statement: /^select distinct wanted_area_code/,
    reason: "numbers that were added are for whoever waits for them",
  },
  {
    statement: /^select \(select count\(\*\)::float8 as "count" from "pool_passes"/,
    reason: "metrics are of all accounts",
  },
  {
    statement: /^select "account_id", "property_token", day::text as "day" from "visit_days"/,
    reason: "visits expire, whosever they are",
  },
  {
    statement: /^select "accounts"\."id", exists \(select "entry"\."id" from "audit_entries"/,
    reason: "entries of the audit log expire, whosever they are",
  },
  {
    statement: /^with "old" as \(select "account_id", "event_key" from "visit_events"/,
    reason: "visits expire, whosever they are",
  },
  {
    statement: /^with "expired" as \(select "account_id", "key_hash" from "idempotency_keys"/,
    reason: "keys of requests expire, whosever they are",
  },
];

/** Statements for rows of several accounts: to a cluster, others are sent that are for those of one. */
const NOT_SENT: readonly RegExp[] = [
  /^update "pool_passes" as "pass" .* unnest\(\$2::integer\[\], \$3::text\[\]\)/s,
  /^with "account" as \(select "id" from "accounts" where "id" = any\(\$1/,
  /^\s*with "record" as .*\(\$1::integer\[\]\)\[given/s,
];

const ID = "019aa351-7b0c-7d2e-8f43-5a6b7c8d9e0f";

/** For each type of parameter a value: where it is an account, it is always the same one. */
const VALUES: Readonly<Record<string, string>> = {
  integer: "7",
  bigint: "7",
  "double precision": "1",
  boolean: "true",
  text: "'7'",
  uuid: `'${ID}'`,
  bytea: "'7'",
  "timestamp with time zone": "now()",
  date: "current_date",
  json: `'[{"place": 0, "accountId": 7}]'`,
  jsonb: `'[{"place": 0, "accountId": 7}]'`,
  "integer[]": "'{7}'",
  "bigint[]": "'{7}'",
  "text[]": "'{7}'",
  "uuid[]": `'{${ID}}'`,
  "timestamp with time zone[]": "array[now()]",
  "date[]": "array[current_date]",
};

const STATEMENTS = PREPARED_STATEMENTS.map(({ sql }) => sql);

describe.skipIf(!HAS_CITUS).each(["citus"] as const)("shards of all statements, on the %s engine", (engine) => {
  let location: DatabaseLocation & { readonly kind: "postgres" };
  let client: pg.Client;

  beforeAll(async () => {
    location = (await createTestDatabase(engine)) as typeof location;
    client = new pg.Client({ connectionString: location.url });
    await client.connect();
    // Plans are made for the values, as they are where a shard is looked for.
    await client.query("set plan_cache_mode = force_custom_plan");
  });

  afterAll(async () => {
    await client?.end();
    if (location !== undefined) await dropTestDatabase(engine, location);
  });

  /** How many shards each step of a statement asks. */
  async function shardsOf(statement: string): Promise<number[]> {
    await client.query(`prepare explained as ${statement}`);
    try {
      const { rows: types } = await client.query<{ type: string }>(
        "select unnest(parameter_types)::text as type from pg_prepared_statements where name = 'explained'",
      );
      const values = types.map(({ type }) => VALUES[type] ?? `no value for ${type}`);
      const call = values.length === 0 ? "explained" : `explained (${values.join()})`;
      const { rows } = await client.query(`explain (format json) execute ${call}`);
      return taskCountsOf(rows[0]["QUERY PLAN"]);
    } finally {
      await client.query("deallocate explained");
    }
  }

  const sent = STATEMENTS.filter((statement) => !NOT_SENT.some((pattern) => pattern.test(statement)));

  test.each(sent.map((statement) => [beginningOf(statement), statement]))("%s", async (_, statement) => {
    const excepted = EXCEPTIONS.some((exception) => exception.statement.test(statement));
    const most = Math.max(0, ...(await shardsOf(statement)));
    if (excepted) expect(most, "the exception is made for nothing").toBeGreaterThan(1);
    else expect(most).toBeLessThanOrEqual(1);
  });
});

test("an exception is of one statement", () => {
  for (const pattern of [...EXCEPTIONS.map(({ statement }) => statement), ...NOT_SENT]) {
    const matching = STATEMENTS.filter((each) => pattern.test(each));
    expect(matching, String(pattern)).toHaveLength(1);
  }
});

/** The counts of tasks, one for each shard that is asked, wherever they are in an explanation of Citus. */
function taskCountsOf(explanation: unknown): number[] {
  if (typeof explanation !== "object" || explanation === null) return [];
  return Object.entries(explanation).flatMap(([name, value]) =>
    name === "Task Count" ? [Number(value)] : taskCountsOf(value),
  );
}

function beginningOf(statement: string): string {
  return statement.trim().replaceAll(/\s+/g, " ").slice(0, 120);
}
