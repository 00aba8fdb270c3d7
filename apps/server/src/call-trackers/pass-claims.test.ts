import { sql } from "kysely";
import { expect, test } from "vitest";
import { describeOnEngines } from "../testing/behaviour.js";
import { makeDue, newTrackedPool, type TrackedPool } from "../testing/tracked-pool.js";
import { claimPool, findDuePools } from "./pass-repository.js";
import type { DuePool } from "./pass-schedule-statements.js";

const LEASE_MS = 60_000;

describeOnEngines(
  "claiming a pool for a pass",
  (service) => {
    const db = () => service.server.database.db;

    async function newDuePool(): Promise<TrackedPool> {
      const pool = await newTrackedPool({ api: service.clients.json, server: service.server }, { size: 1 });
      await makeDue(service.server, pool.account.id, pool.pool.id);
      return pool;
    }

    const findDue = (limit = 100) => findDuePools(db(), "-infinity", limit);

    async function requireDue({ pool }: TrackedPool): Promise<DuePool> {
      const due = (await findDue()).find(({ pool_id }) => pool_id === pool.id);
      return due ?? expect.fail("the pool is not due");
    }

    test("succeeds once, however many have found it", async () => {
      const due = await requireDue(await newDuePool());
      const claims = await Promise.all([1, 2, 3].map(() => claimPool(db(), due, LEASE_MS)));
      expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
      expect(await claimPool(db(), due, LEASE_MS)).toBeUndefined();
    });

    test("begins with the pools that have been due the longest", async () => {
      const [newest, oldest, middle] = [await newDuePool(), await newDuePool(), await newDuePool()];
      for (const [{ account, pool }, hours] of [[newest, 1] as const, [oldest, 3] as const, [middle, 2] as const])
        await makeDue(service.server, account.id, pool.id, hours * 3600);
      expect((await findDue(2)).map(({ pool_id }) => pool_id)).toEqual([oldest.pool.id, middle.pool.id]);
    });

    test("gives each lease of a pool an end of its own, also where the clock stands still", async () => {
      const due = await requireDue(await newDuePool());
      const first = await claimPool(db(), due, LEASE_MS);
      const ended = first?.leased_until as Date;
      const second = await claimPool(db(), { ...due, due_at: ended }, 0);
      expect(second?.leased_until.getTime()).toBeGreaterThan(ended.getTime());
    });

    test("keeps what makes the pool due from then on for the next pass", async () => {
      const pool = await newDuePool();
      expect(await claimPool(db(), await requireDue(pool), LEASE_MS)).toBeDefined();
      const { rows } = await sql`
        select due_at::text from pool_passes where pool_id = ${pool.pool.id}`.execute(db());
      expect(rows).toEqual([{ due_at: "infinity" }]);
    });
  },
  { managesPools: false },
);
