import { sql } from "kysely";
import { expect, test } from "vitest";
import { describeOnEngines } from "../testing/behavior.js";
import { makePoolDue, newTrackedPool, type TrackedPool } from "../testing/tracked-pool.js";
import { makeAllPoolsDue } from "./pass-repository.js";
import { claimPoolStatement, type DuePool, findDuePoolsStatement } from "./pass-schedule-statements.js";

const LEASE_MS = 60_000;

describeOnEngines(
  "a pass over a due pool",
  (service) => {
    const db = () => service.server.database.db;
    const kysely = () => service.server.database.kysely;

    async function newDuePool(): Promise<TrackedPool> {
      const pool = await newTrackedPool(service, { size: 1 });
      await makePoolDue(service.server, pool.account.id, pool.pool.id);
      return pool;
    }

    const findDue = (limit = 100) => findDuePoolsStatement(db(), { since: "-infinity", limit });

    async function requireDue({ pool }: TrackedPool): Promise<DuePool> {
      const due = (await findDue()).find(({ pool_id }) => pool_id === pool.id);
      return due ?? expect.fail("the pool is not due");
    }

    test("is claimed by one of several servers", async () => {
      const due = await requireDue(await newDuePool());
      const claim = () => claimPoolStatement(db(), { ...due, leaseMs: LEASE_MS });
      expect((await Promise.all([claim(), claim(), claim()])).flat()).toHaveLength(1);
      expect(await claim()).toEqual([]);
    });

    test("comes first for the pools that are longest overdue", async () => {
      const [newest, oldest, middle] = [await newDuePool(), await newDuePool(), await newDuePool()];
      for (const [{ account, pool }, hours] of [[newest, 1] as const, [oldest, 3] as const, [middle, 2] as const])
        await makePoolDue(service.server, account.id, pool.id, hours * 3600);
      expect((await findDue(2)).map(({ pool_id }) => pool_id)).toEqual([oldest.pool.id, middle.pool.id]);
    });

    test("has a lease that ends at a different time than all earlier ones", async () => {
      const due = await requireDue(await newDuePool());
      const [first] = await claimPoolStatement(db(), { ...due, leaseMs: LEASE_MS });
      const ended = first?.leased_until as Date;
      const [second] = await claimPoolStatement(db(), { ...due, due_at: ended, leaseMs: 0 });
      expect(second?.leased_until.getTime()).toBeGreaterThan(ended.getTime());
    });

    test("leaves later changes to the next pass", async () => {
      const pool = await newDuePool();
      expect(await claimPoolStatement(db(), { ...(await requireDue(pool)), leaseMs: LEASE_MS })).toHaveLength(1);
      const { rows } = await sql`
        select due_at::text from pool_passes where pool_id = ${pool.pool.id}`.execute(kysely());
      expect(rows).toEqual([{ due_at: "infinity" }]);
    });

    test("is not rescheduled when an account is enabled before its pools were frozen", async () => {
      const pool = await newTrackedPool(service, { size: 1 });
      await makePoolDue(service.server, pool.account.id, pool.pool.id, -3600);
      await service.api.updateAccount({ id: pool.account.id, is_active: false });
      await service.api.updateAccount({ id: pool.account.id, is_active: true });
      expect((await findDue()).map(({ pool_id }) => pool_id)).not.toContain(pool.pool.id);
    });

    test("can be made due for any number of pools", async () => {
      const { pool } = await newDuePool();
      await sql`
        with copies as (
          insert into pools select (jsonb_populate_record(pool, jsonb_build_object('id', uuid_v7()))).*
          from pools pool, generate_series(1, 1001) where pool.id = ${pool.id} returning id)
        insert into pool_passes select (jsonb_populate_record(pass, jsonb_build_object(
          'pool_id', copies.id, 'due_at', clock_now() + interval '1 day'))).*
        from pool_passes pass, copies where pass.pool_id = ${pool.id}`.execute(kysely());
      await makeAllPoolsDue(db());
      expect((await findDue(2000)).length).toBeGreaterThan(1001);
    });
  },
  { managesPools: false },
);
