import { sql } from "kysely";
import { pino } from "pino";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { inventoryCarrier } from "../api/inventory/inventory-carrier.js";
import { DEFAULT_POOL_RULES } from "../config/pool-rules.js";
import { describeBehavior, type Service } from "../testing/behavior.js";
import { uniqueToken } from "../testing/request-fields.js";
import { makePoolDue, newTrackedPool, type TrackedPool } from "../testing/tracked-pool.js";
import { registerPassMetrics } from "./pass-metrics.js";
import { createPassRunner } from "./pass-runner.js";
import { claimPoolStatement, findDuePoolsStatement } from "./pass-schedule-statements.js";

const DAY_MS = 86_400_000;

/** Sets the pool clock back, like a correction to the database server's clock. */
async function stepBack({ server }: Pick<Service, "server">, by: "1 hour" | "10 days"): Promise<void> {
  await sql`update clock set is_applied = true, advanced = advanced - cast(${sql.lit(by)} as interval)`.execute(
    server.database.kysely,
  );
}

/** Sets the pool clock ahead of the real time, which is the time of calls. */
async function setAhead({ server }: Pick<Service, "server">, by: "1 hour"): Promise<void> {
  await sql`update clock set is_applied = true, advanced = cast(${sql.lit(by)} as interval)`.execute(
    server.database.kysely,
  );
}

describeBehavior(
  "a clock that steps back",
  (service) => {
    const track = (fields: Parameters<typeof newTrackedPool>[1]) =>
      newTrackedPool(service, { pool_type: "manual", ...fields });
    const lastPassOf = async ({ name }: TrackedPool) => (await service.api.explainPool(name)).last_pass_at;

    test("leaves new and released free numbers free", async () => {
      const giving = await track({ size: 3, numbers: 3 });
      const { areaCode: area_code } = giving;
      await giving.addNumbers(2);
      await service.api.updatePool({ ...giving.name, size: 2 });
      expect(await giving.pass()).toHaveLength(2);
      await stepBack(service, "1 hour");

      const { entries } = await service.api.listTrackingNumbers({ area_code, state: "free" });
      expect(entries.map(({ rests_until }) => rests_until)).toEqual([null, null, null]);
      expect(await service.api.countTrackingNumbers({ area_code })).toMatchObject([
        { free: 3, resting: 0, assigned: 2 },
      ]);
      const taking = await track({ size: 3, area_code, numbers: 0 });
      expect((await service.api.explainPool(taking.name)).warnings).toEqual([]);
      expect((await service.api.listCallTrackers(taking.name)).entries).toHaveLength(3);
    });

    test("leaves calls to the account that has the number, not to its last holder", async () => {
      const giving = await track({ size: 2, numbers: 2 });
      const numbers = giving.trackers.map(({ tracking_number }) => tracking_number);
      await service.api.updatePool({ ...giving.name, size: 1 });
      await stepBack(service, "1 hour");
      const [kept] = await giving.pass();
      const tracking_number = numbers.find((number) => number !== kept?.tracking_number) as string;
      const taking = await track({ size: 1, area_code: giving.areaCode, numbers: 0 });
      expect(taking.trackers).toMatchObject([{ tracking_number }]);
      const { account_token } = await service.api.resolveCall({ tracking_number });
      expect(account_token).toBe(taking.account.account_token);
      const call = await service.api.createCall({ call_id: uniqueToken("call"), tracking_number });
      expect(call.account_token).toBe(account_token);
      // After the step back, the time is before the pool got its numbers. The call still belongs to the pool's account, because no call tracker had
      // the number earlier.
      const first = { call_id: uniqueToken("call"), tracking_number: kept?.tracking_number };
      expect((await service.api.createCall(first)).account_token).toBe(giving.account.account_token);
      const history = await service.server.database.kysely
        .selectFrom("tracking_number_holders")
        .select(["held_from", "account_id"])
        .where("phone_number", "=", tracking_number)
        .orderBy("held_from")
        .execute();
      expect(history.map(({ account_id }) => account_id)).toEqual([giving.account.id, taking.account.id]);
    });

    test("attributes recent calls to the account and source that got the number while the clock was ahead", async () => {
      const giving = await track({ size: 2, numbers: 2 });
      const numbers = giving.trackers.map(({ tracking_number }) => tracking_number);
      await service.api.updatePool({ ...giving.name, size: 1 });
      const [kept] = await giving.pass();
      const tracking_number = numbers.find((number) => number !== kept?.tracking_number) as string;
      const { kysely } = service.server.database;
      const held = { held_from: sql<Date>`held_from - interval '3 days'` };
      await kysely
        .updateTable("tracking_number_holders")
        .set(held)
        .where("phone_number", "=", tracking_number)
        .execute();

      await setAhead(service, "1 hour");
      const taking = await track({
        ...{ pool_type: "automanaged", size: 1, utilization: 1, area_code: giving.areaCode, numbers: 0 },
        visits: { "google / cpc": 200 },
      });
      expect(taking.trackers).toMatchObject([{ tracking_number, source: "google" }]);
      await stepBack(service, "1 hour");
      const attribution = { account_token: taking.account.account_token, source: "google", medium: "cpc" };
      const now = new Date().toISOString();
      expect(await service.api.resolveCall({ tracking_number, at: now })).toMatchObject(attribution);
      for (const started_at of [undefined, now]) {
        const call = await service.api.createCall({ call_id: uniqueToken("call"), tracking_number, started_at });
        expect(call).toMatchObject({ ...attribution, tracker_status: "active" });
      }
      const call_id = uniqueToken("call");
      await service.api.batchCreateCalls({ calls: [{ call_id, tracking_number, started_at: now }] });
      const { entries } = await service.api.listCalls({ account_id: taking.account.account_token });
      expect(entries.find((call) => call.call_id === call_id)).toMatchObject(attribution);
      const earlier = new Date(Date.now() - 2 * DAY_MS).toISOString();
      expect(await service.api.resolveCall({ tracking_number, at: earlier })).toMatchObject({
        account_token: giving.account.account_token,
      });
    });

    test("does not delay new numbers for pools that lack some", async () => {
      const pool = await track({ size: 2, numbers: 0 });
      await pool.addNumbers(2);
      await stepBack(service, "1 hour");
      await service.server.runDue();
      expect((await service.api.listCallTrackers(pool.name)).entries).toHaveLength(2);
    });

    test.each(["1 hour", "10 days"] as const)("by %s delays no due, scheduled or interrupted pass", async (by) => {
      const pools = [await track({ size: 1 }), await track({ size: 1 }), await track({ size: 1 })] as const;
      const [due, planned, interrupted] = pools;
      await makePoolDue(service.server, due.account.id, due.pool.id);
      await makePoolDue(service.server, planned.account.id, planned.pool.id, -3600);
      await makePoolDue(service.server, interrupted.account.id, interrupted.pool.id);
      const { db } = service.server.database;
      const found = (await findDuePoolsStatement(db, { since: "-infinity", limit: 100 })).find(
        ({ pool_id }) => pool_id === interrupted.pool.id,
      );
      expect(found && (await claimPoolStatement(db, { ...found, leaseMs: 60_000 }))).toHaveLength(1);
      const before = await Promise.all(pools.map(lastPassOf));
      await stepBack(service, by);
      await service.server.runDue();
      const after = await Promise.all(pools.map(lastPassOf));
      for (const [place, last] of before.entries()) expect(after[place]).not.toBe(last);
    });

    test("before a server starts delays no pass", async () => {
      const pool = await track({ size: 1 });
      await makePoolDue(service.server, pool.account.id, pool.pool.id, -3600);
      const before = await lastPassOf(pool);
      await stepBack(service, "1 hour");
      const tools = { carrier: inventoryCarrier, rules: DEFAULT_POOL_RULES };
      const { db } = service.server.database;
      await createPassRunner(db, tools, registerPassMetrics(new Registry()), pino({ level: "silent" })).runDue();
      expect(await lastPassOf(pool)).not.toBe(before);
    });

    test("makes pools due only once, although an unscheduled pool keeps the time of its last pass", async () => {
      const [frozen, pool] = [await track({ size: 1 }), await track({ size: 1 })];
      await service.api.updateAccount({ id: frozen.account.id, is_active: false });
      await service.server.runDue();
      await stepBack(service, "10 days");
      await service.server.runDue();
      const before = await lastPassOf(pool);
      await makePoolDue(service.server, pool.account.id, pool.pool.id, -3600);
      await service.server.runDue();
      expect(await lastPassOf(pool)).toBe(before);
    });
  },
  { managesPools: false },
);

describeBehavior(
  "a clock that steps back, where numbers rest",
  (service) => {
    test("ends no rest period early", async () => {
      const giving = await newTrackedPool(service, { pool_type: "manual", size: 2, numbers: 2 });
      await service.api.updatePool({ ...giving.name, size: 1 });
      await giving.pass();
      await stepBack(service, "1 hour");
      const { areaCode: area_code } = giving;
      const lacking = await newTrackedPool(service, { pool_type: "manual", size: 1, area_code, numbers: 0 });
      const find = async () => (await service.api.listCallTrackers(lacking.name)).entries.length;
      const { entries } = await service.api.listTrackingNumbers({ area_code, state: "resting" });
      expect(entries).toMatchObject([{ rests_until: expect.any(String) }]);
      expect(await find()).toBe(0);
      await service.api.advanceClock({ by: `${(7 * DAY_MS) / 1000}s` });
      expect(await find()).toBe(0);
      await service.api.advanceClock({ by: "3600s" });
      expect(await find()).toBe(1);
    });
  },
  { managesPools: false, hasVirtualClock: true, poolRules: { ...DEFAULT_POOL_RULES, numberRestMs: 7 * DAY_MS } },
);
