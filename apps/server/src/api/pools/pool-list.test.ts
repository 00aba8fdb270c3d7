import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { type Database, openDatabase } from "../../database/open-database.js";
import { createTestDatabase } from "../../testing/test-database.js";
import { listPools } from "./pool-list.js";
import { findPool } from "./pool-repository.js";

type Row = typeof inserted extends fc.Arbitrary<infer T> ? T : never;

/** Text that PostgreSQL can store: without NUL and unpaired surrogates. */
const text = fc
  .string({
    unit: fc.oneof(
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
      fc.constantFrom('"', "\\", "\n", "\u2028"),
    ),
  })
  .map((value) => value.toWellFormed().replaceAll("\0", ""));
const times = fc.date({
  min: new Date("1970-01-02T00:00:00Z"),
  max: new Date("2199-12-30T00:00:00Z"),
  noInvalidDate: true,
});
const inserted = fc
  .record({
    area_code: fc.stringMatching(/^\d{1,5}$/),
    description: fc.option(text),
    is_dni: fc.boolean(),
    is_prompted: fc.boolean(),
    is_recorded: fc.boolean(),
    property_token: fc.option(text.filter((value) => value !== "")),
    size: fc.integer({ min: 1, max: 10_000 }),
    utilization: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    created_at: times,
    updated_at: times,
  })
  // Only an automanaged pool has a utilization, and every automanaged pool has a property.
  .map((pool) => (pool.property_token === null ? { ...pool, utilization: null } : pool));

describe.each(["postgres", "embedded"] as const)("on the %s engine", (engine) => {
  let database: Database;
  let account: ResolvedAccount;

  beforeAll(async () => {
    database = openDatabase(await createTestDatabase(engine));
    const { rows } = await sql<{ accountId: number }>`
      with account as (insert into accounts (account_token) values ('acme') returning id),
        number as (insert into phone_numbers (account_id, phone_number) select id, '+15550000001' from account)
      select id as "accountId" from account`.execute(database.kysely);
    account = { accountId: (rows[0] as { accountId: number }).accountId, accountToken: "acme" };
  });

  afterAll(() => database?.close());

  /** Replaces the pools of the account, and lists them. */
  async function listNew(pools: readonly Row[]) {
    await sql`delete from pool_passes`.execute(database.kysely);
    await sql`delete from pools`.execute(database.kysely);
    await sql`insert into pools (account_id, original_number_id, area_code, description, is_dni, is_prompted, is_recorded,
        pool_type, property_token, size, utilization, created_at, updated_at)
      select account_id, number_id, area_code, description, is_dni, is_prompted, is_recorded,
        case when utilization is null then 'manual' else 'automanaged' end, property_token, size, utilization, created_at,
        updated_at
      from (select account_id, id from phone_numbers) as number (account_id, number_id),
        jsonb_to_recordset(${JSON.stringify(pools)}) as pool (area_code text, description text, is_dni boolean,
        is_prompted boolean, is_recorded boolean, property_token text, size integer, utilization float8,
        created_at timestamptz, updated_at timestamptz)`.execute(database.kysely);
    return listPools(database.db, account, { after: undefined, limit: 1000 });
  }

  test("listed pools equal pools that are read individually", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(inserted, { maxLength: 20 }), async (pools) => {
        const listed = await listNew(pools);
        expect(listed).toHaveLength(pools.length);
        for (const pool of listed) expect(await findPool(database.db, account, pool.id)).toEqual(pool);
        expect(listed.map(({ id }) => id)).toEqual(listed.map(({ id }) => id).toSorted());
      }),
      { numRuns: 30 },
    );
  });
});
