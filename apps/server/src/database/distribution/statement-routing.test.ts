import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectToPostgres } from "../../testing/pg-client.js";
import { createTestDatabase, dropTestDatabase, HAS_CITUS, type PostgresLocation } from "../../testing/test-database.js";
import { listStatements } from "../prepared-statement.js";
// Registers all prepared statements.
import "../../start-server.js";

/** A statement that may query several shards, and the reason. */
interface Exception {
  readonly statement: RegExp;
  readonly reason: string;
}

/** A part of a plan: a statement that the cluster runs on one of its nodes. */
interface Task {
  readonly Query?: string;
  /** The address and the database: `host=127.0.0.1 port=5432 dbname=calltrack`. */
  readonly Node: string;
}

const EXCEPTIONS: readonly Exception[] = [
  {
    statement: /^select json_build_array.* from "accounts" where "id" > \$1/,
    reason: "it lists all accounts of one PostgreSQL",
  },
  {
    statement: /^select json_build_array.* from "accounts" where "is_active" = true/,
    reason: "it lists all enabled accounts of one PostgreSQL",
  },
  {
    statement: /^select json_build_array.* from "accounts" where "is_active" = false/,
    reason: "it lists all disabled accounts",
  },
  {
    statement: /^select json_build_array.* from "accounts" where \(lower\(account_token\), id\)/,
    reason: "it searches all accounts",
  },
  {
    statement: /^select "account_id", "pool_id", coalesce\(leased_until, due_at\)/,
    reason: "the runner finds due pools of all accounts",
  },
  {
    statement: /^select coalesce\(leased_until, due_at\) as "due_at" from "pool_passes"/,
    reason: "the runner finds the next due pool of all accounts",
  },
  {
    statement: /^select exists \(\s*select 1 from webhook_endpoints/,
    reason: "senders look for due endpoints of all accounts",
  },
  {
    statement: /^select \(last_value.*has_due_endpoints/s,
    reason: "senders look for due endpoints of all accounts",
  },
  {
    statement:
      /^select "account_id", "id", "types", position::text as "position" from "webhook_endpoints" where "account_id" >= /,
    reason: "at their start, senders read the endpoints of all accounts",
  },
  {
    statement: /^select "account_id", "id", "types", position::text as "position", "leased_by"/,
    reason: "senders find due endpoints of all accounts",
  },
  {
    statement: /^select "delivery"\."account_id", "delivery"\."endpoint_id"/,
    reason: "finished deliveries of all accounts are deleted",
  },
  {
    statement: /^select \(select count\(\*\)::float8 from webhook_deliveries/,
    reason: "metrics cover all accounts",
  },
  {
    statement: /^select json_build_array.* from "events" where "position" = any\(\$1::bigint\[\]\) order by/s,
    reason: "endpoints of no account get the events of all accounts",
  },
  {
    statement: /^select max\("passed_at"\)/,
    reason: "at its start, the runner finds the last pass of all accounts",
  },
  {
    statement: /^with "later" as \(select "account_id", "pool_id" from "pool_passes"/,
    reason: "when the clock steps back, all pools become due",
  },
  {
    statement: /^select "account_id", "pool_id", wanted_area_code as "area_code" from "pool_passes" where/,
    reason: "added numbers are for the pools of all accounts",
  },
  {
    statement: /^select distinct wanted_area_code/,
    reason: "added numbers are for the pools of all accounts",
  },
  {
    statement: /^select \(select count\(\*\)::float8 from pool_passes/,
    reason: "metrics cover all accounts",
  },
  {
    statement: /^select "account_id", "property_token", day::text as "day" from "visit_days"/,
    reason: "expired visits of all accounts are deleted",
  },
  {
    statement: /^select "accounts"\."id", \(select "old"\."id" from "audit_entries"/,
    reason: "expired audit entries of all accounts are deleted",
  },
  {
    statement: /^select "accounts"\."id", \(select "old"\."id" from "calls"/,
    reason: "calls expire, whosever they are",
  },
  {
    statement: /^select "accounts"\."id", \(select "old"\."id" from "call_tracker_changes"/,
    reason: "expired history of all accounts is deleted",
  },
  {
    statement: /^select "account_id", "id", "started_at" from "calls" where "phone_system_id"/,
    reason: "calls without a reported end are closed, whosever they are",
  },
  {
    statement: /^select phone_system_id as "phone_system_id", count/,
    reason: "metrics cover all accounts",
  },
  {
    statement: /^select count\(\*\)::integer as "pools"/,
    reason: "a phone system connects the numbers of all accounts",
  },
  {
    statement: /^with "old" as \(select "account_id", "event_key" from "visit_events"/,
    reason: "expired visits of all accounts are deleted",
  },
  {
    statement: /^with "expired" as \(select "account_id", "key_hash", "expires_at" from "idempotency_keys"/,
    reason: "expired idempotency keys of all accounts are deleted",
  },
  {
    statement:
      /from "events" where "position" > \$\d+::bigint and "position" <=(?!.*"account_id" = ).* order by "position" limit \$/,
    reason: "it lists the events of all accounts",
  },
  {
    statement: /from "events" where "position" <= \$1::bigint order by "position" desc limit 1/,
    reason: "a cursor names the last event of all accounts",
  },
  {
    statement: /from "events" where "position" > \$1::bigint order by "position" limit 1/,
    reason: "it finds the next event of all accounts",
  },
  {
    statement: /^delete from "events"/,
    reason: "expired events of all accounts are deleted",
  },
];

/**
 * Statements for rows of several accounts. If all rows belong to one account, a cluster runs a variant of the statement for a single account. Only
 * the list of accounts has no variant: a page comes from the shards of all accounts on the page.
 */
const MULTI_ACCOUNT_STATEMENTS: readonly RegExp[] = [
  /^update "pool_passes" as "pass" .* unnest\(\$2::integer\[\], \$3::text\[\]\)/s,
  /^with "account" as \(select "id" from "accounts" where "id" = any\(\$1/,
  /^with "given" as \(\s*select holder/,
  /^select json_build_array.* from "accounts" where id = any\(\$1/,
  /^\s*with "record" as .*\(\$1::integer\[\]\)\[given/s,
];

const ID = "019aa351-7b0c-7d2e-8f43-5a6b7c8d9e0f";

/** A value for each parameter type, keyed by the type. All account ids are equal, so that each statement concerns only one account. */
const VALUES: Readonly<Record<string, string>> = {
  smallint: "7",
  integer: "7",
  bigint: "7",
  "double precision": "1",
  boolean: "true",
  text: "'7'",
  uuid: `'${ID}'`,
  bytea: "'7'",
  "timestamp with time zone": "now()",
  interval: "'1s'",
  date: "current_date",
  json: `'[{"place": 0, "accountId": 7, "account_id": 7}]'`,
  jsonb: `'[{"place": 0, "accountId": 7, "account_id": 7}]'`,
  "integer[]": "'{7}'",
  "bigint[]": "'{7}'",
  "text[]": "'{7}'",
  "uuid[]": `'{${ID}}'`,
  "timestamp with time zone[]": "array[now()]",
  "date[]": "array[current_date]",
};

const STATEMENTS = listStatements().map(({ sql }) => sql);

describe.skipIf(!HAS_CITUS).each(["citus"] as const)("shards queried by all statements, on the %s engine", (engine) => {
  let location: PostgresLocation;
  let client: pg.Client;
  /** The addresses of the workers, as the plans write them. */
  let workers: readonly string[];

  beforeAll(async () => {
    location = await createTestDatabase(engine);
    client = await connectToPostgres(location.url);
    // A custom plan depends on the parameter values, which select the shards.
    await client.query("set plan_cache_mode = force_custom_plan");
    const { rows } = await client.query<{ address: string }>(
      "select format('host=%s port=%s ', nodename, nodeport) as address from pg_dist_node where groupid <> 0",
    );
    workers = rows.map(({ address }) => address);
  });

  afterAll(async () => {
    await client?.end();
    if (location !== undefined) await dropTestDatabase(engine, location);
  });

  async function explain(statement: string): Promise<unknown> {
    await client.query(`prepare explained as ${statement}`);
    try {
      const { rows: types } = await client.query<{ type: string }>(
        "select unnest(parameter_types)::text as type from pg_prepared_statements where name = 'explained'",
      );
      const values = types.map(({ type }) => VALUES[type] ?? `no value for ${type}`);
      const call = values.length === 0 ? "explained" : `explained (${values.join()})`;
      const { rows } = await client.query(`explain (verbose, format json) execute ${call}`);
      return rows[0]["QUERY PLAN"];
    } finally {
      await client.query("deallocate explained");
    }
  }

  const sent = STATEMENTS.filter((statement) => !MULTI_ACCOUNT_STATEMENTS.some((pattern) => pattern.test(statement)));

  test.each(sent.map((statement) => [beginningOf(statement), statement]))("%s", async (_, statement) => {
    const excepted = EXCEPTIONS.some((exception) => exception.statement.test(statement));
    const plan = await explain(statement);
    const most = Math.max(0, ...valuesOf("Task Count", plan).map(Number));
    if (excepted) expect(most, "the exception is made for nothing").toBeGreaterThan(1);
    else expect(most).toBeLessThanOrEqual(1);
    // Only the coordinator may generate ids, because a worker would use its own sequence.
    const drawing = valuesOf("Tasks", plan).flatMap((tasks) =>
      (tasks as Task[]).filter(({ Query: query }) => query?.includes("nextval")),
    );
    expect(drawing.filter(({ Node: node }) => workers.some((worker) => node.startsWith(worker)))).toEqual([]);
  });
});

test("each exception matches one statement", () => {
  for (const pattern of [...EXCEPTIONS.map(({ statement }) => statement), ...MULTI_ACCOUNT_STATEMENTS]) {
    const matching = STATEMENTS.filter((each) => pattern.test(each));
    expect(matching, String(pattern)).toHaveLength(1);
  }
});

/** Finds the values of a field anywhere in a Citus plan. The field is `Task Count`, where each shard is one task, or `Tasks`. */
function valuesOf(field: string, explanation: unknown): unknown[] {
  if (typeof explanation !== "object" || explanation === null) return [];
  return Object.entries(explanation).flatMap(([name, value]) => (name === field ? [value] : valuesOf(field, value)));
}

function beginningOf(statement: string): string {
  return statement.trim().replaceAll(/\s+/g, " ").slice(0, 120);
}
