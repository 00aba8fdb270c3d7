import { isUniqueViolation } from "@calltrack/postgres";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEmptyDatabase } from "../../testing/test-database.js";
import { type Database, openDatabase } from "../open-database.js";
import * as accountsPhoneNumbersPools from "./0001-accounts-phone-numbers-pools.js";
import * as callTrackers from "./0002-call-trackers.js";
import * as passLeases from "./0003-pass-leases.js";
import * as originalNumbers from "./0004-original-numbers.js";
import * as retiringCallTrackers from "./0009-retiring-call-trackers.js";

const POOL = "019aa34f-5c1d-7e52-8c3a-0b1d5f6a7c8e";
const TRACKERS = [1, 2, 3].map((last) => `019aa350-0d2e-7c41-9b7f-6e1a2d3c4b5${last}`) as [string, string, string];

describe.each(["embedded", "postgres"] as const)("migrated call trackers, on the %s engine", (engine) => {
  let database: Database;
  const run = (statement: ReturnType<typeof sql>) => statement.execute(database.kysely);

  beforeAll(async () => {
    database = openDatabase(await createEmptyDatabase(engine));
    for (const { up } of [accountsPhoneNumbersPools, callTrackers, passLeases, originalNumbers])
      await up(database.kysely as never);
    await run(sql`insert into accounts (account_token) values ('acme')`);
    await run(sql`insert into phone_numbers (account_id, phone_number) values (1, '+12223334444')`);
    await run(sql`
      insert into pools (account_id, id, original_number_id, area_code, is_dni, is_prompted, is_recorded, pool_type,
        property_token, size, utilization)
      select 1, ${POOL}, id, '222', true, true, true, 'automanaged', 'shop', 3, 1 from phone_numbers`);
    await run(sql`insert into pool_passes (account_id, pool_id, due_at) values (1, ${POOL}, 'infinity')`);
    for (const [index, id] of TRACKERS.entries()) {
      const number = `+1222555000${index}`;
      const state = index === 0 ? "retiring" : "assigned";
      await run(sql`
        insert into tracking_numbers (phone_number, area_code, state, account_id, pool_id, call_tracker_id)
        values (${number}, '222', ${state}, 1, ${POOL}, ${id})`);
      await run(sql`
        insert into call_trackers (account_id, pool_id, id, tracking_number, status, source, medium)
        values (1, ${POOL}, ${id}, ${number}, 'active', ${`source ${index}`}, 'cpc')`);
    }
    await retiringCallTrackers.up(database.kysely as never);
  });

  afterAll(() => database?.close());

  test("are marked if their numbers are retiring, and their pools are due", async () => {
    const { kysely } = database;
    const trackers = await kysely.selectFrom("call_trackers").select(["id", "retirement"]).orderBy("id").execute();
    expect(trackers).toEqual([
      { id: TRACKERS[0], retirement: "gradual" },
      { id: TRACKERS[1], retirement: null },
      { id: TRACKERS[2], retirement: null },
    ]);
    const { rows } = await sql`select from pool_passes where due_at <= now()`.execute(kysely);
    expect(rows).toHaveLength(1);
  });

  const give = (index: number, source: string, status: string) =>
    run(sql`
      update call_trackers set source = ${source}, status = ${status}::text,
        dropped_at = case when ${status}::text = 'flagged' then now() end
      where id = ${TRACKERS[index]}`);

  test("may share a source if all but one are retiring, but only one may be active", async () => {
    const taken = await give(0, "source 1", "active").catch((error: unknown) => error);
    expect(isUniqueViolation(taken, "call_trackers_source_has_one_active")).toBe(true);
    await give(0, "source 1", "flagged");
  });

  test("may not share a source if none is retiring", async () => {
    const taken = await give(2, "source 1", "flagged").catch((error: unknown) => error);
    expect(isUniqueViolation(taken, "call_trackers_source_holds_one")).toBe(true);
  });
});
