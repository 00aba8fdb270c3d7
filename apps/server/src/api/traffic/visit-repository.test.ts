import { sql } from "kysely";
import { pino } from "pino";
import { expect, test } from "vitest";
import { createAccountDirectory } from "../../access/account-directory.js";
import { DEFAULT_POOL_RULES } from "../../config/pool-rules.js";
import {
  countUnattributedVisitsStatement,
  readRankedSourcesStatement,
} from "../../pool-management/source-repository.js";
import { describeOnEngines } from "../../testing/behavior.js";
import { createManualPoolFields, newAccount, newPool, uniqueToken } from "../../testing/request-fields.js";
import { createSourceAliasDirectory } from "./source-alias-directory.js";
import type { VisitBatch } from "./visit-groups.js";
import { createVisitRecorder, recordReportedVisit } from "./visit-recorder.js";
import { applyVisitEffects, deleteExpiredVisits, recordVisits } from "./visit-repository.js";

const DAY_MS = 24 * 60 * 60 * 1000;

const RULES = { visitWindowDays: 30, dueWithinMs: 30_000, sourcesPerDay: 20, propertiesPerDay: 20 };

describeOnEngines("visits", (service) => {
  const db = () => service.server.database.db;
  const kysely = () => service.server.database.kysely;
  const newAccountId = async () => (await newAccount(service.clients.grpc)).id;
  const windowOf = (accountId: number) => ({ accountId, propertyToken: "shop", windowDays: 30 });

  /** Counts visits as the recorder does, and returns the result of each batch. */
  async function record(batches: readonly VisitBatch[]) {
    const { results, effects } = await recordVisits(db(), batches, RULES);
    await applyVisitEffects(db(), [effects], RULES);
    return results;
  }

  function batchOf(accountId: number, sources: readonly string[], fields: object = {}): VisitBatch {
    const now = new Date();
    const visits = sources.map((source) => ({
      eventId: uniqueToken("event"),
      propertyToken: "shop",
      source,
      medium: "cpc",
      count: 1,
      occurredAt: now,
      ...fields,
    }));
    return { accountId, visits, now };
  }

  /** The totals of an account's visits: the number of rows in `visit_counts`, the number of sources in `visit_days`, and the number of visits. */
  async function totalsOf(accountId: number) {
    const { rows } = await sql<{ rows: number; sources: number; visits: number }>`
      select (select count(*)::integer from visit_counts where account_id = ${accountId}) as rows,
        (select sum(sources)::integer from visit_days where account_id = ${accountId}) as sources,
        (select sum(visits)::integer from visit_counts where account_id = ${accountId})
          + (select sum(unattributed)::integer from visit_days where account_id = ${accountId}) as visits
    `.execute(kysely());
    return rows[0];
  }

  test("in a flood of sources, keeps those with the most visits and counts the others without source", async () => {
    const accountId = await newAccountId();
    await record([batchOf(accountId, ["real"], { count: 50 })]);
    for (let flood = 0; flood < 10; flood++) {
      const sources = Array.from({ length: 7 }, (_, index) => `bot ${flood}-${index}`);
      await record([batchOf(accountId, [...sources, "real"])]);
      const totals = await totalsOf(accountId);
      expect(totals?.rows).toBeLessThanOrEqual(20);
      expect(totals?.sources).toBe(totals?.rows);
    }
    expect(await totalsOf(accountId)).toMatchObject({ visits: 50 + 10 * 8 });
    const [first] = await readRankedSourcesStatement(db(), { ...windowOf(accountId), threshold: 0, limit: 1 });
    expect(first).toEqual({ source: "real", medium: "cpc", visits: 60 });
    const [unattributed] = await countUnattributedVisitsStatement(db(), windowOf(accountId));
    expect(unattributed?.visits).toBeGreaterThanOrEqual(10 * 7 - 20);
  });

  test("counts a concurrent flood of sources exactly", async () => {
    const accountId = await newAccountId();
    await Promise.all(
      Array.from({ length: 24 }, async (_, side) => {
        for (let time = 0; time < 5; time++) {
          const sources = Array.from({ length: 6 }, (_, index) => `bot ${(side * 7 + time * 3 + index) % 90}`);
          await record([batchOf(accountId, sources)]);
        }
      }),
    );
    const totals = await totalsOf(accountId);
    expect(totals).toMatchObject({ visits: 24 * 5 * 6, sources: totals?.rows });
    expect(totals?.rows).toBeLessThanOrEqual(RULES.sourcesPerDay);
  });

  test("in a flood of properties, keeps those that pools use and the others with the most visits", async () => {
    const { account, number, pool } = await newPool(service.clients.grpc, { property_token: "shop" });
    const visit = (sources: readonly string[], fields: object) => record([batchOf(account.id, sources, fields)]);
    await visit(["google"], {});
    await service.clients.grpc.createPool(createManualPoolFields(account, number, { property_token: "manual" }));
    await visit(["google"], { propertyToken: "manual" });
    await visit(["google", "bing"], { propertyToken: "planned", count: 50 });
    await visit(["google"], { propertyToken: "planned", occurredAt: new Date(Date.now() - DAY_MS) });
    for (let flood = 0; flood < 40; flood++) {
      await visit(["a", "b"], { propertyToken: `bot ${flood}` });
      const totals = await totalsOf(account.id);
      expect(totals?.rows).toBeLessThanOrEqual(1 + 1 + 2 + 1 + 2 * RULES.propertiesPerDay);
      expect(totals?.sources).toBe(totals?.rows);
    }
    const visitsOf = async (propertyToken: string) =>
      (await readRankedSourcesStatement(db(), { ...windowOf(account.id), propertyToken, threshold: 0, limit: 9 })).map(
        ({ visits }) => visits,
      );
    expect(await visitsOf(pool.property_token ?? "")).toEqual([1]);
    expect(await visitsOf("manual")).toEqual([1]);
    expect(await visitsOf("planned")).toEqual([51, 50]);
    expect(await visitsOf("bot 0")).toEqual([]);
    expect(await visitsOf("bot 39")).toEqual([1, 1]);
  });

  test("leaves no count without its day in a concurrent flood of properties", async () => {
    const accountId = await newAccountId();
    await Promise.all(
      Array.from({ length: 24 }, async (_, side) => {
        for (let time = 0; time < 10; time++) {
          const propertyToken = `bot ${(side * 7 + time * 5) % 90}`;
          await record([batchOf(accountId, [`${side}`, `${time}`], { propertyToken })]);
        }
      }),
    );
    const totals = await totalsOf(accountId);
    expect(totals?.sources).toBe(totals?.rows);
    const { rows } = await sql<{ days: number }>`
      select count(*)::integer as days from visit_days where account_id = ${accountId}`.execute(kysely());
    expect(rows[0]?.days).toBeLessThanOrEqual(RULES.propertiesPerDay + 24);
  });

  test("concurrent statements count a record once, because one of them retries", async () => {
    const accountId = await newAccountId();
    const batch = batchOf(accountId, ["a", "b", "c", "d"]);
    const reversed = { ...batch, visits: batch.visits.toReversed() };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => record([index % 2 === 0 ? batch : reversed])),
    );
    expect(answers.reduce((sum, [answer]) => sum + (answer?.recorded ?? 0), 0)).toBe(4);
    expect(await totalsOf(accountId)).toMatchObject({ visits: 4 });
  });

  // Skipped on a distributed database, where each statement is about one account; see `createVisitRecorder`.
  test.skipIf(service.engine === "citus")(
    "batches in one statement get separate results and share counts",
    async () => {
      const [one, two] = [await newAccountId(), await newAccountId()];
      const first = batchOf(one, ["a", "b"]);
      const old = batchOf(two, ["a"], { occurredAt: new Date(Date.now() - 40 * DAY_MS) });
      const answers = await record([first, batchOf(two, ["a"]), first, old, batchOf(one, ["a"])]);
      expect(answers).toEqual([
        { recorded: 2, duplicates: 0, expired: 0 },
        { recorded: 1, duplicates: 0, expired: 0 },
        { recorded: 0, duplicates: 2, expired: 0 },
        { recorded: 0, duplicates: 0, expired: 1 },
        { recorded: 1, duplicates: 0, expired: 0 },
      ]);
      expect(await totalsOf(one)).toMatchObject({ rows: 2, visits: 3 });
      expect(await record([])).toEqual([]);
    },
  );

  test("ranks sources above the threshold, including all that tie with the last", async () => {
    const accountId = await newAccountId();
    const counts = { a: 5, b: 4, c: 4, d: 4, e: 3, f: 2 };
    for (const [source, count] of Object.entries(counts)) {
      await record([batchOf(accountId, [source], { count })]);
    }
    const ranked = async (threshold: number, limit: number) =>
      (await readRankedSourcesStatement(db(), { ...windowOf(accountId), threshold, limit }))
        .map(({ source }) => source)
        .toSorted();
    expect(await ranked(0, 2)).toEqual(["a", "b", "c", "d"]);
    expect(await ranked(0, 1)).toEqual(["a"]);
    expect(await ranked(0, 0)).toEqual([]);
    expect(await ranked(4, 100)).toEqual(["a"]);
    expect(await ranked(3, 100)).toEqual(["a", "b", "c", "d"]);
    expect(await ranked(2, 5)).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("counts a reported visit once, for the named account only, and only if it has a pool for it", async () => {
    const property_token = uniqueToken("property");
    const api = service.clients.grpc;
    const owners = [await newPool(api, { property_token }), await newPool(api, { property_token })];
    const withoutDni = await newPool(api, { property_token, is_dni: false });
    const rules = { hasVirtualClock: false, poolRules: DEFAULT_POOL_RULES };
    const { record, settle } = createVisitRecorder(service.server.database, rules, pino({ level: "silent" }));
    const report = (account: string, propertyToken = property_token) => {
      const visit = { account, eventId: "1", propertyToken, source: "google", medium: "cpc" };
      const aliases = createSourceAliasDirectory(db());
      return recordReportedVisit(db(), createAccountDirectory(db()), aliases, record, visit, new Date());
    };
    const [first] = owners.map(({ account }) => account);
    for (const account of [first?.account_token, first?.id, withoutDni.account.id, uniqueToken()])
      await report(String(account));
    await report(String(first?.id), uniqueToken("nowhere"));
    await settle();
    const { rows } = await sql`
      select account_id, visits::integer from visit_counts where property_token = ${property_token}`.execute(kysely());
    expect(rows).toEqual([{ account_id: first?.id, visits: 1 }]);
  });

  test("deletes expired visits", async () => {
    const accountId = await newAccountId();
    await record([batchOf(accountId, ["a", "b", "c"])]);
    await sql`
      insert into visit_days (account_id, property_token, day, sources)
      select ${accountId}::integer, 'shop', current_date - age, 2 from generate_series(29, 60) as age`.execute(
      kysely(),
    );
    await sql`
      insert into visit_counts (account_id, property_token, day, source, medium, visits)
      select account_id, property_token, day, source, 'cpc', 1 from visit_days, (values ('a'), ('b')) as named (source)
      where account_id = ${accountId} and day < current_date`.execute(kysely());
    await sql`
      insert into visit_events (account_id, event_key, recorded_at)
      select ${accountId}::integer, gen_random_uuid(), now() - hours * interval '1 hour'
      from generate_series(1, 100) as hours, generate_series(1, 120)`.execute(kysely());
    const deleted = await deleteExpiredVisits(db(), RULES);
    expect(deleted.events).toBeGreaterThanOrEqual(52 * 120);
    expect(deleted.days).toBeGreaterThanOrEqual(29);
    // The remaining days are today, the first day of the window, and the day before it.
    expect(await totalsOf(accountId)).toMatchObject({ rows: 3 + 2 * 2 });
    const { rows } = await sql`
      select count(*)::integer as events from visit_events where account_id = ${accountId}`.execute(kysely());
    // Events that are 48 hours old may just have expired.
    expect([47 * 120 + 3, 48 * 120 + 3]).toContain((rows[0] as { events: number }).events);
    expect(await deleteExpiredVisits(db(), RULES)).toEqual({ days: 0, events: 0 });
  });
});
