// The measured paths, hand-written on Hono and postgres.js, and tuned: bodies validated by Zod through Hono's validator, and
// statements as tagged templates, which postgres.js prepares once per connection and pipelines.
import { serve } from "@hono/node-server";
import { zValidator } from "@hono/zod-validator";
import { type Context, Hono } from "hono";
import postgres from "postgres";
import { poolBody } from "./pool-body.ts";
import { poolJson } from "./pool-json.ts";
import { type PoolRow, UUID } from "./pool-statements.ts";

const sql = postgres(process.env.DATABASE_URL ?? "", { max: 16, onnotice: () => {} });

type FoundRow = PoolRow | { readonly id: null };

const app = new Hono();

app.get("/dni_manager/accounts/:account/pools/:pool", async (c) => {
  const { account, pool } = c.req.param();
  if (!UUID.test(pool)) return refuse(c, 404, "pool not found");
  const [found] = await sql<FoundRow[]>`
    select handle.account_token, pool.id, pool.original_number_id, pool.area_code, pool.description, pool.is_dni,
      pool.is_prompted, pool.is_recorded, pool.pool_type, pool.property_token, pool.size, pool.utilization,
      pool.created_at, pool.updated_at
    from account_handles handle
    left join pools pool on pool.account_id = handle.account_id and pool.id = ${pool}
    where handle.handle = ${account}`;
  if (found === undefined) return refuse(c, 404, "account not found");
  return found.id === null ? refuse(c, 404, "pool not found") : c.json(poolJson(found));
});

app.get("/dni_manager/accounts/:account/pools", async (c) => {
  const rows = await sql<FoundRow[]>`
    select handle.account_token, pool.id, pool.original_number_id, pool.area_code, pool.description, pool.is_dni,
      pool.is_prompted, pool.is_recorded, pool.pool_type, pool.property_token, pool.size, pool.utilization,
      pool.created_at, pool.updated_at
    from account_handles handle
    left join pools pool on pool.account_id = handle.account_id
    where handle.handle = ${c.req.param("account")}
    order by pool.id`;
  if (rows.length === 0) return refuse(c, 404, "account not found");
  return c.json(rows.flatMap((row) => (row.id === null ? [] : poolJson(row))));
});

app.post("/dni_manager/accounts/:account/pools", zValidator("json", poolBody), async (c) => {
  const body = c.req.valid("json");
  const account = c.req.param("account");
  const isManual = body.pool_type === "manual";
  const [created] = await sql<PoolRow[]>`
    with account as (
      select handle.account_id, handle.account_token
      from account_handles handle join accounts on accounts.id = handle.account_id
      where handle.handle = ${account} and accounts.is_active
      for share of accounts
    ), number as (
      select number.account_id, number.id
      from account join phone_numbers number on number.account_id = account.account_id
      where number.phone_number = ${body.original_number}
    ), pool as (
      insert into pools (account_id, original_number_id, area_code, description, is_dni, is_prompted, is_recorded,
        pool_type, property_token, size, utilization)
      select number.account_id, number.id, ${body.area_code}::text, ${body.description ?? null}::text,
        ${body.is_dni}::boolean, ${body.is_prompted}::boolean, ${body.is_recorded}::boolean,
        ${isManual ? "manual" : "automanaged"}::text, ${body.property_token ?? null}::text, ${body.size}::integer,
        ${isManual ? null : body.utilization}::float8
      from number
      returning *
    ), pass as (
      insert into pool_passes (account_id, pool_id, property_token)
      select account_id, id, case pool_type when 'automanaged' then property_token end from pool
    ), entry as (
      insert into audit_entries (account_id, id, method, actor_kind, resource_type, resource_id, after)
      select pool.account_id, pool.id, 'CreatePool', 'anonymous', 'pool', pool.id::text, row_to_json(state)
      from pool cross join lateral (
        select pool.id, pool.original_number_id, pool.area_code, pool.description, pool.is_dni, pool.is_prompted,
          pool.is_recorded, pool.pool_type, pool.property_token, pool.size, pool.utilization, pool.created_at,
          pool.updated_at
      ) as state
    )
    select pool.id, pool.original_number_id, pool.area_code, pool.description, pool.is_dni, pool.is_prompted,
      pool.is_recorded, pool.pool_type, pool.property_token, pool.size, pool.utilization, pool.created_at,
      pool.updated_at, account.account_token
    from pool join account on account.account_id = pool.account_id`;
  if (created === undefined) return refuseToCreate(c, account);
  const location = `/dni_manager/accounts/${encodeURIComponent(created.account_token)}/pools/${created.id}`;
  return c.json(poolJson(created), 201, { location });
});

async function refuseToCreate(c: Context, account: string): Promise<Response> {
  const [found] = await sql<{ is_active: boolean }[]>`
    select accounts.is_active
    from account_handles handle join accounts on accounts.id = handle.account_id
    where handle.handle = ${account}`;
  if (found === undefined) return refuse(c, 404, "account not found");
  return refuse(c, 400, found.is_active ? "original_number is not registered" : "account is disabled");
}

function refuse(c: Context, code: 400 | 404, message: string): Response {
  return c.json({ error: { code, message } }, code);
}

const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(process.env.PORT) }, ({ port }) => {
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`);
});

process.on("SIGTERM", async () => {
  server.close();
  await sql.end({ timeout: 1 });
  process.exit(0);
});
