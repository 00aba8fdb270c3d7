import { sql } from "kysely";
import { pino } from "pino";
import { afterEach, expect, test } from "vitest";
import { readConfig } from "../config/config.js";
import type { Database } from "../database/open-database.js";
import { describeOnEngines } from "../testing/behavior.js";
import { countWaitingStatements } from "../testing/count-waiting.js";
import { createTestLog } from "../testing/test-log.js";
import { createExpiryJobs } from "./expiry-jobs.js";
import { createUpkeepRunner, type UpkeepRunner, type UpkeepSchedule } from "./upkeep-runner.js";

const CONFIG = readConfig({ AUDIT_RETENTION: "1d" });

const AT_ONCE = { firstRunMs: 0 };

const NONE = { events: 0, keys: 0, entries: 0 };

describeOnEngines(
  "deletion of expired data",
  (service) => {
    const db = () => service.server.database.db;
    const kysely = () => service.server.database.kysely;
    const runners: UpkeepRunner[] = [];

    afterEach(async () => {
      for (const runner of runners.splice(0)) await runner.stop();
      await sql`delete from visit_events where account_id = 0`.execute(kysely());
      await sql`delete from idempotency_keys where expires_at < now()`.execute(kysely());
      await sql`delete from audit_entries where resource_id = 'expired'`.execute(kysely());
    });

    function startRunner(schedule: UpkeepSchedule, log = pino({ level: "silent" })): UpkeepRunner {
      const runner = createUpkeepRunner(createExpiryJobs(db(), CONFIG), log, schedule);
      runners.push(runner);
      runner.start();
      return runner;
    }

    test("runs again after the interval", async () => {
      startRunner({ firstRunMs: 0, intervalMs: 10 });
      for (let time = 0; time < 2; time++) {
        await expire(kysely());
        await expect.poll(() => countExpired(kysely())).toEqual(NONE);
      }
    });

    test("does not run before the interval", async () => {
      await expire(kysely());
      startRunner(AT_ONCE);
      await expect.poll(() => countExpired(kysely())).toEqual(NONE);
      await expire(kysely());
      expect(await countExpired(kysely())).toEqual({ events: 1, keys: 1, entries: 1 });
      startRunner(AT_ONCE);
      await expect.poll(() => countExpired(kysely())).toEqual(NONE);
    });

    test("keeps valid data", async () => {
      await expire(kysely());
      await service.clients.json.createAccount({ account_token: `expiry-${service.server.port}` });
      const countEntries = async () =>
        (await sql<{ count: number }>`select count(*)::integer from audit_entries`.execute(kysely())).rows[0]?.count ??
        0;
      const before = await countEntries();
      startRunner(AT_ONCE);
      await expect.poll(() => countExpired(kysely())).toEqual(NONE);
      expect(await countEntries()).toBe(before - 1);
    });

    test("deletes the other kinds of data if one cannot be deleted", async () => {
      const { log, lines } = createTestLog();
      await expire(kysely());
      await sql`alter table visit_events rename to no_visit_events`.execute(kysely());
      try {
        startRunner(AT_ONCE, log);
        await expect.poll(() => lines).toHaveLength(1);
      } finally {
        await sql`alter table no_visit_events rename to visit_events`.execute(kysely());
      }
      await expect.poll(() => countExpired(kysely())).toEqual({ events: 1, keys: 0, entries: 0 });
      expect(lines).toMatchObject([
        { data: "visits", msg: expect.stringContaining("expired data could not be deleted") },
      ]);
    });

    // The test needs PostgreSQL. The embedded engine runs one transaction at a time. On a Citus cluster, the job waits on a worker, where the test
    // cannot see the wait.
    test.skipIf(service.engine !== "postgres")("waits for the job in progress when it stops", async () => {
      await expire(kysely());
      let hasStopped = false;
      const stopping = await kysely()
        .transaction()
        .execute(async (transaction) => {
          await transaction.selectFrom("visit_events").selectAll().forUpdate().execute();
          const runner = startRunner(AT_ONCE);
          await expect.poll(() => countWaitingStatements(kysely())).toBe(1);
          const stopped = runner.stop().then(() => {
            hasStopped = true;
          });
          await countWaitingStatements(kysely());
          expect(hasStopped).toBe(false);
          return { stopped };
        });
      await stopping.stopped;
      expect(await countExpired(kysely())).toEqual({ events: 0, keys: 1, entries: 1 });
    });

    test("starts no job after it was stopped", async () => {
      const runner = startRunner({ firstRunMs: 0, intervalMs: 10 });
      await runner.stop();
      await expire(kysely());
      await countWaitingStatements(kysely());
      expect(await countExpired(kysely())).toEqual({ events: 1, keys: 1, entries: 1 });
    });
  },
  { managesPools: false },
);

/** Counts the rows that `expire` adds. */
async function countExpired(db: Database["kysely"]) {
  const { rows } = await sql<{ events: number; keys: number; entries: number }>`
    select (select count(*) from visit_events where account_id = 0)::integer as events,
      (select count(*) from idempotency_keys where expires_at < now())::integer as keys,
      (select count(*) from audit_entries where resource_id = 'expired')::integer as entries`.execute(db);
  return rows[0];
}

/** Adds an expired visit event, an expired idempotency key and an expired audit entry. */
async function expire(db: Database["kysely"]): Promise<void> {
  await sql`
    with key as (
      insert into idempotency_keys (account_id, key_hash, request_hash, answer, expires_at)
      values (0, sha256(uuid_v7()::text::bytea), sha256('x'), 'x', now() - interval '1 second') returning 1),
    entry as (
      insert into audit_entries (account_id, id, method, actor_kind, resource_type, resource_id, after)
      values (0, ('0163dd1d' || substr(gen_random_uuid()::text, 9))::uuid, 'UpdatePool', 'operator', 'pool', 'expired', '{}')
      returning 1)
    insert into visit_events (account_id, event_key, recorded_at)
    select 0, gen_random_uuid(), clock_now() - interval '3 days' from key, entry`.execute(db);
}
