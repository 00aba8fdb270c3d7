import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectToPostgres } from "../testing/pg-client.js";
import { createTestDatabase } from "../testing/test-database.js";
import { serveDatabase } from "../testing/test-server.js";
import { PLANNER_SETTINGS } from "./postgres-options.js";
import { listStatements } from "./prepared-statement.js";
// Registers all prepared statements.
import "../start-server.js";

/** The fields of a plan node that the tests read, as PostgreSQL prints them in JSON. */
interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Filter?: string;
  readonly "Join Filter"?: string;
  readonly Plans?: readonly PlanNode[];
}

/** A statement whose plan is allowed as an exception, and the reason. */
interface Exception {
  readonly statement: RegExp;
  readonly problem: string;
  readonly reason: string;
}

const EXCEPTIONS: readonly Exception[] = [
  ...[/^select \(last_value.*has_due_endpoints/s, /^select \(last_value[^,]*, "lock"\."holders" from/].map(
    (statement) => ({
      statement,
      problem: "reads all of event_positions",
      reason: "a sequence has one row",
    }),
  ),
  {
    statement: /^with "before" as \(select "only_row", /,
    problem: "reads all of clock",
    reason: "it has one row",
  },
  {
    statement: /^select .* as "now", .* from "clock"$/,
    problem: "reads all of clock",
    reason: "it has one row",
  },
  {
    statement: /^select coalesce\(leased_until, due_at\) as "due_at" from "pool_passes" .* limit 1$/,
    problem: "reads all of pool_passes_next",
    reason: "the first row of the index is the next due pool",
  },
  {
    statement: /^select max\("passed_at"\)/,
    problem: "reads all of pool_passes",
    reason: "it runs once per server start",
  },
  ...["pool_passes_unserved", "pool_passes_lacking_numbers", "pool_passes_failing"].map((index) => ({
    statement: /^select \(select count\(\*\)::float8 from pool_passes/,
    problem: `reads all of ${index}`,
    reason: "the index contains only the counted pools",
  })),
  {
    statement: /^select distinct wanted_area_code/,
    problem: "reads all of pool_passes_lacking_numbers",
    reason: "the index contains only pools that lack numbers",
  },
  {
    statement: /^select "area_code", \(count\(\*\)(?!.*"area_code" = \$)/s,
    problem: "reads all of tracking_numbers_of_inventory",
    reason: "it counts all numbers",
  },
  {
    statement: /fetch first \$\d+ rows with ties$/,
    problem: "sorts before it limits",
    reason: "the sources of a window are ranked by the visits of all its days",
  },
  ...["all of webhook_endpoints", "all of webhook_endpoints_due"].map((read) => ({
    statement: /^select \(select count\(\*\)::float8 from webhook_deliveries/,
    problem: `reads ${read}`,
    reason: "an account has at most 20 endpoints",
  })),
  {
    statement: /from "events" where "position" = any\(\$1::bigint\[\]\) and "account_id"/,
    problem: "looks through rows of events for a key: (account_id = $2)",
    reason: "positions are unique, so that it reads no other rows",
  },
  ...["crowded", "stray"].map((first) => ({
    statement: new RegExp(`^with "${first}" as`),
    problem: "sorts before it limits",
    reason: "only a day with too many sources needs the ones with the fewest visits, which does not justify an index",
  })),
  {
    statement: /^with "before" as \(select "phone_number", .*then 'retired' else 'retiring'/s,
    problem:
      "looks through rows of tracking_numbers for a key: CASE WHEN ($4 IS NULL) THEN (state = 'free'::text) ELSE " +
      "((state = ANY ('{assigned,retiring}'::text[])) AND (call_tracker_id = $5) AND ((state <> 'retiring'::text) OR " +
      "((NOT retires_immediately) AND $6))) END",
    reason: "the row is found by its number; the condition on the holder filters that single row",
  },
  {
    statement: /^select count\(\*\)::integer as "pools", /,
    problem: "reads all of pools",
    reason: "it reads a limited number of pools when a phone system is created",
  },
  {
    statement: /^with "account" as \(select "id" from "accounts" where "id" = any\(\$1/,
    problem: "looks through rows of phone_numbers to join them: (number.account_id = account.id)",
    reason: "the rows are found by the phone number, which few accounts register",
  },
  ...["calls", "visit_counts"].map((table) => ({
    statement: new RegExp(`^select "source" as "source", .* from "${table}".* limit \\$\\d+$`, "s"),
    problem: "sorts before it limits",
    reason: "a report counts all calls and visits of its time, and is refused if it has too many rows",
  })),
  ...[
    "sorts before it limits",
    "looks through rows of pools to join them: ((pool.original_number_id = other.original_number_id) AND " +
      "(((other.pool_type = pool.pool_type) AND (other.id < pool.id)) OR " +
      "((other.pool_type = 'automanaged'::text) AND (pool.pool_type = 'manual'::text))))",
  ].map((problem) => ({
    statement: /^select "other"\."id" from "pools" as "pool"/,
    problem,
    reason: "it explains one pool, and reads the pools of its property",
  })),
  ...[
    /^select json_build_array(?!.*"caller_key" = \$\d)(?!.*named).* from "calls" /s,
    /^select json_build_array.* from "calls" .*"caller_key" = \$\d/s,
  ].map((statement) => ({
    statement,
    problem:
      "looks through rows of calls for a key: COALESCE((((pool_id = $5) OR ($6 IS NULL)) AND " +
      "((property_token = $7) OR ($8 IS NULL)) AND ((source = $9) OR ($10 IS NULL)) AND " +
      "((medium = $11) OR ($12 IS NULL)) AND ((outcome = $13) OR ($14 IS NULL)) AND " +
      "(($15 IS DISTINCT FROM 'missed'::text) OR (NOT (outcome_detail IS DISTINCT FROM $16))) AND " +
      "((reject_reason = $17) OR ($18 IS NULL))), false)",
    reason: "calls are read in the order of time, and a pool is one of many filters on them",
  })),
];

/**
 * Rows at a fiftieth of the size of a large service: one account has 400 pools, and 2000 accounts have two pools each, so the average
 * account differs from the account that lists its pools. Other tables have rows for the first 100 accounts.
 */
const ROWS = `
  insert into accounts (account_token) select 'account ' || n from generate_series(1, 2001) n;
  insert into account_handles (handle, account_id, account_token)
    select account_token, id, account_token from accounts union all select id::text, id, account_token from accounts;
  insert into phone_numbers (account_id, phone_number)
    select id, '+1' || 2000000000 + 1000 * id + n from accounts, generate_series(1, case id when 2001 then 400 else 2 end) n;
  insert into pools (account_id, original_number_id, area_code, is_dni, is_prompted, is_recorded, pool_type, property_token,
      size, utilization)
    select account_id, id, '222', true, true, true, 'automanaged', 'property 1', 10, 0.5
    from phone_numbers;
  insert into pool_passes (account_id, pool_id, property_token) select account_id, id, property_token from pools;
  insert into phone_systems (name, kind, fallback_number, credentials)
    select 'PBX ' || n, 'sip', '+12125550100', '[]' from generate_series(1, 20) n;
  insert into tracking_numbers (phone_number, area_code, state, account_id, pool_id, call_tracker_id, phone_system_id)
    select '+1' || 3000000000 + number.n, '222', 'assigned', number.account_id, number.id, uuid_v7(), system.id
    from (select pools.account_id, pools.id, row_number() over () as n from pools, generate_series(1, 3)) number
    left join (select id, row_number() over () as n from phone_systems) system on system.n = number.n % 40;
  insert into tracking_numbers (phone_number, area_code) select '+1' || 4000000000 + n, n % 100 from generate_series(1, 3000) n;
  insert into call_trackers (account_id, pool_id, id, tracking_number, status, source, medium)
    select account_id, pool_id, call_tracker_id, phone_number, 'active', 'source of ' || phone_number, 'cpc'
    from tracking_numbers where state = 'assigned';
  insert into tracking_number_holders (phone_number, held_from, call_tracker_id, account_id, pool_id)
    select phone_number, now() - interval '1 day', call_tracker_id, account_id, pool_id from tracking_numbers where state = 'assigned';
  insert into calls (account_id, call_id, tracking_number, caller_number, caller_key, started_at, is_start_sent, outcome, pool_id,
      call_tracker_id, original_number, property_token, source, medium, tracker_status, is_prompted, is_recorded)
    select account_id, phone_number || n, phone_number, '+1', gen_random_uuid(), now() - n * interval '1 hour', true, 'in_progress',
      pool_id, call_tracker_id, '+1', 'property 1', 'google', 'cpc', 'active', true, true
    from tracking_number_holders, generate_series(1, 3) n;
  insert into call_flows (account_id, pool_id, settings) select account_id, id, '{}' from pools;
  insert into call_tracker_changes (account_id, pool_id, call_tracker_id, tracking_number, kind, source, medium, reason)
    select account_id, pool_id, id, tracking_number, 'activated', source, medium, 'reason'
    from call_trackers, generate_series(1, 2);
  insert into visit_days (account_id, property_token, day, sources)
    select id, 'property 1', current_date - n, 10 from accounts, generate_series(1, 60) n where id <= 100;
  insert into visit_counts (account_id, property_token, day, source, medium, visits)
    select account_id, property_token, day, 'source ' || n, 'cpc', n from visit_days, generate_series(1, 10) n;
  insert into visit_events (account_id, event_key) select id, gen_random_uuid() from accounts, generate_series(1, 50) where id <= 100;
  insert into idempotency_keys (account_id, key_hash, request_hash, expires_at)
    select id, sha256(n::text::bytea), sha256(n::text::bytea), now() + n * interval '1 minute'
    from accounts, generate_series(1, 50) n where id <= 100;
  insert into api_keys (prefix, hash, scopes, account_id, account_token)
    select 'ct_' || id || '_' || n, repeat('0', 64), '{read}', id, account_token from accounts, generate_series(1, 50) n
    where id <= 100;
  insert into audit_entries (account_id, method, actor_kind, resource_type, resource_id, after)
    select account_id, 'CreatePool', 'anonymous', 'pool', id::text, '{}' from pools, generate_series(1, 3);
  insert into events (account_id, type, resource_id) select account_id, 'pool.updated', id from pools, generate_series(1, 3);
  insert into webhook_endpoints (account_id, url, types, payload, ordered, concurrency, max_age_seconds, secrets, position)
    select id, 'https://hooks.example/', '{}', 'full', false, 10, 86400, '[]', 0 from accounts, generate_series(1, 2);
  insert into webhook_deliveries (account_id, endpoint_id, position, subject, status, due_at)
    select account_id, id, n, 'subject ' || n / 2, case n % 20 when 0 then 'waiting' else 'delivered' end, case n % 20 when 0 then now() end
    from webhook_endpoints, generate_series(1, 40) n;`;

/** Plan nodes that return the rows of their only child, possibly in another order. */
const COPYING_NODES = new Set(["Materialize", "Memoize", "LockRows", "Subquery Scan", "Sort", "Incremental Sort"]);

const STATEMENTS = [
  ...new Set(listStatements().flatMap(({ sql, batch }) => (batch === undefined ? [sql] : [sql, batch.sql]))),
];

/** Matches index conditions that skip a key, because their statements read the visits of all properties of an account. */
const ALLOWED_SKIP = /^visit_\w+_pkey: \(\(account_id = \S+\) AND \(day /;

/** Statements that read lists in pages. */
const PAGES = STATEMENTS.filter((statement) => /[<>] \(?\$\d+.* order by .* limit \$\d+/s.test(statement));

describe("plans of all statements", () => {
  let client: pg.Client;
  /** The first column or expression of each index. */
  const firstColumns = new Map<string, string>();

  beforeAll(async () => {
    client = await connectToNewDatabase();
    await client.query(ROWS);
    await client.query("vacuum analyze");
    const { rows } = await client.query<{ name: string; first: string }>(
      "select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid, 1, false) as first from pg_index",
    );
    for (const { name, first } of rows) firstColumns.set(name, first);
  });

  afterAll(() => client?.end());

  /** Connects to a new database as a server does. */
  async function connectToNewDatabase(): Promise<pg.Client> {
    const database = await createTestDatabase("postgres");
    const server = await serveDatabase(database, { managesPools: false });
    await server.stop();
    const options = Object.entries(PLANNER_SETTINGS).map(([name, value]) => `-c ${name}=${value}`);
    return connectToPostgres(database.url, { options: options.join(" ") });
  }

  /** Returns the plan of a prepared statement, which is the same on every connection of a server. */
  async function explain(statement: string, on = client): Promise<PlanNode[]> {
    const places = [...statement.matchAll(/\$(\d+)/g)].map(([, place]) => Number(place));
    const values = Array(Math.max(0, ...places)).fill("null");
    await on.query(`prepare explained as ${statement}`);
    const call = values.length === 0 ? "explained" : `explained (${values.join()})`;
    const { rows } = await on.query(`explain (format json) execute ${call}`);
    await on.query("deallocate explained");
    return nodesOf(rows[0]["QUERY PLAN"][0].Plan);
  }

  function problemsOf(nodes: readonly PlanNode[]): string[] {
    return nodes.flatMap((node) => [
      ...(node["Node Type"] === "Seq Scan" ? [`reads all of ${node["Relation Name"]}`] : []),
      ...(node["Index Name"] !== undefined && !probes(node) ? [`reads all of ${node["Index Name"]}`] : []),
      ...(filtersByKey(node) ? [`looks through rows of ${node["Relation Name"]} for a key: ${node.Filter}`] : []),
      ...scansToJoin(node).map((table) => `looks through rows of ${table} to join them: ${node["Join Filter"]}`),
      ...(node["Node Type"] === "Limit" && nodesOf(node).some(sortsTable) ? ["sorts before it limits"] : []),
    ]);
  }

  /** Whether the plan searches the first column of the index, and therefore reads only a part of it. */
  function probes({ "Index Name": index = "", "Index Cond": condition = "" }: PlanNode): boolean {
    const first = firstColumns.get(index) ?? "";
    return condition.includes(`${first} `) && !condition.includes(`${first} IS NOT NULL`);
  }

  test.each(STATEMENTS.map((statement) => [beginningOf(statement), statement]))("%s", async (_, statement) => {
    const allowed = EXCEPTIONS.filter((exception) => exception.statement.test(statement));
    const problems = new Set(problemsOf(await explain(statement)));
    expect([...problems].filter((found) => !allowed.some(({ problem }) => problem === found))).toEqual([]);
  });

  test("every exception is needed", async () => {
    const found = new Map<string, string[]>();
    for (const statement of STATEMENTS) found.set(statement, problemsOf(await explain(statement)));
    for (const { statement, problem } of EXCEPTIONS) {
      const matching = STATEMENTS.filter((each) => statement.test(each));
      expect(matching, String(statement)).toHaveLength(1);
      expect(found.get(matching[0] ?? ""), String(statement)).toContain(problem);
    }
  });

  test("calls are recorded by key lookups even in a new database, which has no statistics", async () => {
    await using resources = new AsyncDisposableStack();
    const unanalyzed = await connectToNewDatabase();
    resources.defer(() => unanalyzed.end());
    const recordings = STATEMENTS.filter((statement) => statement.includes('insert into "calls"'));
    expect(recordings).toHaveLength(3);
    for (const recording of recordings) {
      const nodes = await explain(recording, unanalyzed);
      expect(nodes.flatMap((node) => node["Join Filter"] ?? [])).toEqual([]);
      const filters = nodes.flatMap((node) => (node["Relation Name"] === undefined ? [] : (node.Filter ?? [])));
      expect(filters.filter((filter) => /\b(?:id|caller_key) = |call_id/.test(filter))).toEqual([]);
    }
  });

  test("no key of an index is skipped even in a new database, which has no statistics", async () => {
    await using resources = new AsyncDisposableStack();
    const unanalyzed = await connectToNewDatabase();
    resources.defer(() => unanalyzed.end());
    const { rows } = await unanalyzed.query<{ name: string; keys: string[] }>(`
      select indexrelid::regclass::text as name,
        array(select pg_get_indexdef(indexrelid, n, false) from generate_series(1, indnkeyatts) n) as keys
      from pg_index`);
    const keysOf = new Map(rows.map(({ name, keys }) => [name, keys]));
    const skipping = new Set<string>();
    for (const statement of STATEMENTS) {
      for (const { "Index Name": index = "", "Index Cond": condition = "" } of await explain(statement, unanalyzed)) {
        // Removes the columns on the right sides of comparisons, which are qualified by their tables and are not columns of the index.
        const left = condition.replace(/\w+\.\w+/g, "");
        const words = left.split(/[^\w"]+/);
        const compared = (keysOf.get(index) ?? []).map((key) =>
          key.includes("(") ? left.includes(key) : words.includes(key),
        );
        const skipped = compared.indexOf(false);
        if (skipped >= 0 && compared.includes(true, skipped)) skipping.add(`${index}: ${condition}`);
      }
    }
    expect([...skipping].filter((each) => !ALLOWED_SKIP.test(each))).toEqual([]);
  });

  test("results of deliveries are stored without reading other deliveries of the endpoint, even in a new database", async () => {
    await using resources = new AsyncDisposableStack();
    const unanalyzed = await connectToNewDatabase();
    resources.defer(() => unanalyzed.end());
    const updates = STATEMENTS.filter((statement) => /update webhook_deliveries as delivery/.test(statement));
    expect(updates).toHaveLength(2);
    for (const update of updates) {
      const nodes = await explain(update, unanalyzed);
      const scans = nodes.filter((node) => node["Relation Name"] === "webhook_deliveries" && node["Index Name"]);
      expect(scans).not.toEqual([]);
      for (const scan of scans) expect(scan["Index Cond"]).toMatch(/position|subject/);
    }
  });

  test("call trackers are found by their pool even if one pool had all of them when statistics were collected", async () => {
    await using resources = new AsyncDisposableStack();
    const skewed = await connectToNewDatabase();
    resources.defer(() => skewed.end());
    await skewed.query(`${ROWS}
      delete from call_trackers;
      insert into call_trackers (account_id, pool_id, id, tracking_number)
        select pool.account_id, pool.id, uuid_v7(), phone_number
        from tracking_numbers, (select account_id, id from pools limit 1) as pool;`);
    await skewed.query("vacuum analyze");
    for (const statement of STATEMENTS) {
      const nodes = (await explain(statement, skewed)).filter((node) => node["Relation Name"] === "call_trackers");
      expect(nodes.filter(filtersByKey), statement).toEqual([]);
    }
  });

  test("numbers in a rare state are found without reading numbers in other states", async () => {
    const lists = STATEMENTS.filter((each) =>
      /"state" = 'retir(?:ed|ing)'.* order by "phone_number" limit/s.test(each),
    );
    expect(lists).toHaveLength(2);
    for (const list of lists) {
      const [scan] = (await explain(list)).filter((node) => node["Relation Name"] === "tracking_numbers");
      expect(scan).toMatchObject({
        "Index Name": "tracking_numbers_by_state",
        "Index Cond": expect.stringContaining("state = "),
      });
    }
  });

  test("a page is read from the position of its token, however deep", async () => {
    expect(PAGES).toHaveLength(39);
    for (const statement of PAGES) {
      const limited = (await explain(statement)).find((node) => node["Node Type"] === "Limit");
      const [scan, ...others] = limited?.Plans?.filter((node) => node["Index Name"] !== undefined) ?? [];
      expect(scan?.["Index Cond"], statement).toMatch(
        /\b(?:(?:account_)?id|phone_number|"?position"?|\w+_at|ROW\((?:lower\(account_token\)|started_at), id\)|ROW\(account_id, id\)|ROW\(phone_number, held_from, call_tracker_id\)) [<>] (?:\$\d+|ROW\((?:\$\d+(?:, )?)+\))\)/,
      );
      expect(others).toEqual([]);
    }
  });
});

/** Returns a node and its descendants. */
function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function sortsTable(node: PlanNode): boolean {
  return node["Node Type"].endsWith("Sort") && nodesOf(node).some((below) => below["Relation Name"] !== undefined);
}

function filtersByKey(node: PlanNode): boolean {
  return node["Relation Name"] !== undefined && hasKey(node.Filter);
}

function hasKey(condition = ""): boolean {
  return /(?<!")\b(?:\w+_)?id\b(?! IS NOT NULL)/.test(condition);
}

/** Returns the tables of a join that the plan scans, instead of finding each row by the key that joins the tables. */
function scansToJoin(node: PlanNode): string[] {
  if (!hasKey(node["Join Filter"])) return [];
  return (node.Plans ?? [])
    .map(withoutCopies)
    .flatMap((side) => (side["Node Type"].endsWith("Scan") ? (side["Relation Name"] ?? []) : []));
}

/** Returns the node, or its first descendant that does more than pass on the rows of its only child. */
function withoutCopies(node: PlanNode): PlanNode {
  const [only] = node.Plans ?? [];
  return only !== undefined && COPYING_NODES.has(node["Node Type"]) ? withoutCopies(only) : node;
}

function beginningOf(statement: string): string {
  return statement.trim().replaceAll(/\s+/g, " ").slice(0, 120);
}
