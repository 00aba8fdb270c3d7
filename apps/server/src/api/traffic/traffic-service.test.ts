import { hash } from "node:crypto";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { computeDueCheckIntervalMs, DEFAULT_POOL_RULES } from "../../config/pool-rules.js";
import {
  countUnattributedVisitsStatement,
  readRankedSourcesStatement,
} from "../../pool-management/source-repository.js";
import type { AccountJson } from "../../testing/api-client.js";
import { describeBehavior, type Service } from "../../testing/behavior.js";
import { createInvalidFieldRefusal, requireRefusal, requireRefusedFields } from "../../testing/refusal.js";
import {
  createAutomanagedPoolFields,
  getPoolKeyFields,
  newAccount,
  newPool,
  uniqueToken,
} from "../../testing/request-fields.js";
import { unscheduleAllPools } from "../../testing/tracked-pool.js";

const DAY_MS = 24 * 60 * 60 * 1000;

function visit(fields: object = {}) {
  return { event_id: uniqueToken("event"), property_token: "shop", source: "google", medium: "cpc", ...fields };
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString();
}

/** The visits of a property by source and medium, ranked like in a pass. */
function visitsOf({ server }: Service, { id }: AccountJson, propertyToken = "shop", windowDays = 30) {
  return readRankedSourcesStatement(server.database.db, {
    accountId: id,
    propertyToken,
    windowDays,
    threshold: 0,
    limit: 1000,
  });
}

describeBehavior("RecordVisits", (service) => {
  test("counts visits by property, source and medium", async () => {
    const account = await newAccount(service.api);
    const visits = [
      visit(),
      visit({ count: 3 }),
      visit({ medium: "organic" }),
      visit({ source: "bing “ads” {a,b} \\", medium: "NULL" }),
      visit({ property_token: "blog", count: 1_000_000 }),
    ];
    const counted = await service.api.recordVisits({ account_id: account.account_token, visits });
    expect(counted).toEqual({ recorded: 5, duplicates: 0, expired: 0 });
    const more = { account_id: String(account.id), visits: [visit({ medium: "organic" })] };
    expect(await service.api.recordVisits(more)).toMatchObject({ recorded: 1 });
    expect(await visitsOf(service, account)).toEqual([
      { source: "google", medium: "cpc", visits: 4 },
      { source: "google", medium: "organic", visits: 2 },
      { source: "bing “ads” {a,b} \\", medium: "null", visits: 1 },
    ]);
    expect(await visitsOf(service, account, "blog")).toEqual([{ source: "google", medium: "cpc", visits: 1_000_000 }]);
    const window = { accountId: account.id, propertyToken: "shop", windowDays: 30 };
    expect(await countUnattributedVisitsStatement(service.server.database.db, window)).toEqual([{ visits: 0 }]);
  });

  test("counts a record once, within a request and across requests", async () => {
    const account = await newAccount(service.api);
    const account_id = account.account_token;
    const visits = [visit(), visit(), visit()];
    visits.push({ ...visit({ source: "bing" }), event_id: visits[0]?.event_id ?? "" });
    expect(await service.api.recordVisits({ account_id, visits })).toEqual({ recorded: 3, duplicates: 1, expired: 0 });
    expect(await service.api.recordVisits({ account_id, visits })).toEqual({ recorded: 0, duplicates: 4, expired: 0 });
    const mixed = { account_id, visits: [visits[1], visit(), visits[2], visit(), visit()] };
    expect(await service.api.recordVisits(mixed)).toEqual({ recorded: 3, duplicates: 2, expired: 0 });
    expect(await visitsOf(service, account)).toEqual([{ source: "google", medium: "cpc", visits: 6 }]);
  });

  test("counts a record once in concurrent requests", async () => {
    const account = await newAccount(service.api);
    const request = { account_id: account.account_token, visits: Array.from({ length: 50 }, () => visit()) };
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.api.recordVisits(request)));
    expect(answers.reduce((sum, { recorded }) => sum + recorded, 0)).toBe(50);
    expect(answers.reduce((sum, { duplicates }) => sum + duplicates, 0)).toBe(19 * 50);
    expect(await visitsOf(service, account)).toEqual([{ source: "google", medium: "cpc", visits: 50 }]);
  });

  test("distinguishes event ids by case, whether UUIDs or not", async () => {
    const { account_token: account_id } = await newAccount(service.api);
    const id = "0196f3a4-5c1d-7e52-8c3a-0b1d5f6a7c8e";
    const hashed = hash("sha256", "order 1", "hex")
      .slice(0, 32)
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    const ids = [id, id.toUpperCase(), id.replaceAll("-", ""), `{${id}}`, "order 1", hashed];
    const visits = ids.map((event_id) => visit({ event_id }));
    expect(await service.api.recordVisits({ account_id, visits })).toMatchObject({ recorded: 6 });
    expect(await service.api.recordVisits({ account_id, visits })).toMatchObject({ recorded: 0, duplicates: 6 });
  });

  test("distinguishes equal event ids of two accounts", async () => {
    const accounts = [await newAccount(service.api), await newAccount(service.api)];
    const visits = [visit()];
    for (const { account_token: account_id } of accounts) {
      expect(await service.api.recordVisits({ account_id, visits })).toMatchObject({ recorded: 1 });
    }
  });

  test("counts a visit for the day it occurred, and ignores visits before the window", async () => {
    const account = await newAccount(service.api);
    const times = [
      daysAgo(0),
      daysAgo(1),
      daysAgo(29),
      daysAgo(30),
      daysAgo(31),
      daysAgo(20_000),
      "0001-01-01T00:00:00Z",
    ];
    const visits = times.map((occurred_at, index) => visit({ occurred_at, source: `source ${index}` }));
    const request = { account_id: account.account_token, visits };
    expect(await service.api.recordVisits(request)).toEqual({ recorded: 3, duplicates: 0, expired: 4 });
    expect(await service.api.recordVisits(request)).toEqual({ recorded: 0, duplicates: 3, expired: 4 });
    const sources = async (windowDays: number) =>
      (await visitsOf(service, account, "shop", windowDays)).map(({ source }) => source).toSorted();
    expect(await sources(30)).toEqual(["source 0", "source 1", "source 2"]);
    expect(await sources(29)).toEqual(["source 0", "source 1"]);
    expect(await sources(1)).toEqual(["source 0"]);
  });

  test("accepts times slightly in the future, and rejects later ones", async () => {
    const { account_token: account_id } = await newAccount(service.api);
    const at = (minutes: number) => [visit({ occurred_at: new Date(Date.now() + minutes * 60_000).toISOString() })];
    expect(await service.api.recordVisits({ account_id, visits: at(4) })).toMatchObject({ recorded: 1 });
    const refusal = await requireRefusal(service.api.recordVisits({ account_id, visits: at(6) }));
    const problem = "must not be in the future: correct the sender's clock";
    expect(refusal).toMatchObject(createInvalidFieldRefusal("visits[0].occurred_at", problem));
  });

  test.each([
    ["event_id", ""],
    ["event_id", "a\0b"],
    ["event_id", "x".repeat(256)],
    ["property_token", "a b"],
    ["property_token", undefined],
    ["source", undefined],
    ["source", "a\nb"],
    ["source", "x".repeat(10_240)],
    ["source", "a‮b"],
    ["medium", ""],
    ["count", 0],
    ["count", -1],
    ["count", 1_000_001],
    ["count", 2_147_483_647],
    ["occurred_at", "9999-12-31T23:59:59Z"],
  ])("rejects the %s %j, and counts nothing", async (field, value) => {
    const account = await newAccount(service.api);
    const visits = [visit(), visit(), visit(), visit({ [field]: value })];
    const call = service.api.recordVisits({ account_id: account.account_token, visits });
    expect(await requireRefusedFields(call)).toEqual([`visits[3].${field}`]);
    expect(await visitsOf(service, account)).toEqual([]);
  });

  test("reports all violations at once, and the maximum number of records", async () => {
    const { account_token: account_id } = await newAccount(service.api);
    const visits = [visit(), visit({ source: "", count: 0 }), {}];
    expect(await requireRefusedFields(service.api.recordVisits({ account_id, visits }))).toEqual([
      "visits[1].count",
      "visits[1].source",
      "visits[2].event_id",
      "visits[2].medium",
      "visits[2].property_token",
      "visits[2].source",
    ]);
    for (const count of [0, 1001]) {
      const many = Array.from({ length: count }, () => visit());
      expect(await requireRefusal(service.api.recordVisits({ account_id, visits: many }))).toMatchObject({
        message: "visits must contain 1 to 1000 records",
      });
    }
    const most = Array.from({ length: 1000 }, () => visit());
    expect(await service.api.recordVisits({ account_id, visits: most })).toMatchObject({ recorded: 1000 });
  });

  test("counts names that differ in case, Unicode form and surrounding space as one, and keeps unusual characters", async () => {
    const account = await newAccount(service.api);
    const medium = "(not set) \"'`{},\\n";
    const visits = [
      visit({ source: "é😀".repeat(127), medium }),
      visit({ source: "É😀".repeat(127), medium: ` ${medium.toUpperCase()} ` }),
      visit({ source: "e\u0301😀".repeat(85), medium }),
      visit({ source: "é😀".repeat(85), medium }),
    ];
    await service.api.recordVisits({ account_id: account.account_token, visits });
    expect(await visitsOf(service, account)).toEqual([
      { source: "é😀".repeat(85), medium, visits: 2 },
      { source: "é😀".repeat(127), medium, visits: 2 },
    ]);
  });

  test("returns not found for an unknown account, and counts visits of a disabled one", async () => {
    const account = await newAccount(service.api);
    const nobody = { account_id: uniqueToken("nobody"), visits: [visit()] };
    await expect(service.api.recordVisits(nobody)).rejects.toThrow("NOT_FOUND ACCOUNT_NOT_FOUND");
    await service.api.updateAccount({ id: account.id, is_active: false });
    const request = { account_id: account.account_token, visits: [visit()] };
    expect(await service.api.recordVisits(request)).toMatchObject({ recorded: 1 });
    expect(await visitsOf(service, account)).toMatchObject([{ visits: 1 }]);
  });

  test("makes the pools of the property due within the pass interval", async () => {
    const { account, number, pool } = await newPool(service.api);
    const other = await service.api.createPool(
      createAutomanagedPoolFields(account, number, { property_token: "blog" }),
    );
    const { kysely } = service.server.database;
    await unscheduleAllPools(service.server);
    await service.api.recordVisits({ account_id: account.account_token, visits: [visit()] });
    const dueAt = async (id: string) => {
      const [row] = await kysely.selectFrom("pool_passes").select("due_at").where("pool_id", "=", id).execute();
      return Number(row?.due_at);
    };
    await expect.poll(() => dueAt(pool.id)).toBeLessThan(Number.POSITIVE_INFINITY);
    const early = Date.now() - 60_000;
    const latest = Date.now() + DEFAULT_POOL_RULES.passIntervalMs - computeDueCheckIntervalMs(DEFAULT_POOL_RULES);
    expect(await dueAt(pool.id)).toSatisfy((due: number) => due > early && due <= latest);
    expect(await dueAt(other.id)).toBe(Number.POSITIVE_INFINITY);
  });

  test("lets visits wait while many others have not made their pools due yet", async () => {
    const { account, pool } = await newPool(service.api);
    const { kysely } = service.server.database;
    await unscheduleAllPools(service.server);
    const count = 200;
    let answered = 0;
    const recording = await kysely.transaction().execute(async (transaction) => {
      const locked = transaction.selectFrom("pool_passes").select("pool_id").where("pool_id", "=", pool.id);
      await locked.where("account_id", "=", account.id).forUpdate().execute();
      const recordAll = async () => {
        for (; answered < count; answered++)
          await service.api.recordVisits({ account_id: account.account_token, visits: [visit()] });
      };
      const all = recordAll();
      // Waits until no visit request gets a response during 200 other requests. Counts requests instead of time, because all requests take longer on
      // a cluster.
      for (let before = -1; before !== answered; ) {
        before = answered;
        for (let read = 0; read < 200; read++) await service.api.getPool(getPoolKeyFields(account, pool));
      }
      expect(answered).toBeGreaterThan(100);
      expect(answered).toBeLessThan(count);
      return { all };
    });
    await recording.all;
    expect(answered).toBe(count);
  });

  test("answers while a pool of the property is locked, and makes it due afterwards", async () => {
    const [first, other] = [await newPool(service.api), await newPool(service.api)];
    const { kysely } = service.server.database;
    await unscheduleAllPools(service.server);
    const ofPool = { account_id: first.account.id, pool_id: first.pool.id };
    await kysely.transaction().execute(async (transaction) => {
      const locked = transaction.selectFrom("pool_passes").select("pool_id");
      await locked
        .where(({ and }) => and(ofPool))
        .forUpdate()
        .execute();
      // The three requests of the first account exceed the number of batches that are counted concurrently.
      for (const { account } of [first, first, first, other]) {
        const request = { account_id: account.account_token, visits: [visit()] };
        expect(await service.api.recordVisits(request)).toMatchObject({ recorded: 1 });
      }
    });
    const passes = kysely.selectFrom("pool_passes").select("due_at");
    const dueAt = async () => Number((await passes.where(({ and }) => and(ofPool)).execute())[0]?.due_at);
    await expect.poll(dueAt).toBeLessThan(Number.POSITIVE_INFINITY);
  });

  // Skipped on a cluster, because the test's trigger would not exist on the workers.
  test.skipIf(service.engine === "citus")(
    "answers a batch as counted even if the pools of one of its accounts cannot be made due",
    async () => {
      const [failing, other] = [await newPool(service.api), await newPool(service.api)];
      const { kysely } = service.server.database;
      await unscheduleAllPools(service.server);
      await sql`create function fail() returns trigger language plpgsql as $$ begin raise 'failed'; end $$`.execute(
        kysely,
      );
      await sql`create trigger fails before update on pool_passes for each row when (old.account_id = ${sql.lit(failing.account.id)})
        execute function fail()`.execute(kysely);
      try {
        const requests = [failing, failing, failing, other, other].map(({ account }) =>
          service.api.recordVisits({ account_id: account.account_token, visits: [visit()] }),
        );
        expect(await Promise.all(requests)).toEqual(requests.map(() => ({ recorded: 1, duplicates: 0, expired: 0 })));
      } finally {
        await sql`drop function fail cascade`.execute(kysely);
      }
    },
  );

  describe("in concurrent requests", () => {
    test("counts exactly, in any order of sources and accounts", async () => {
      const accounts = [await newAccount(service.api), await newAccount(service.api)];
      const names = Array.from({ length: 20 }, (_, index) => `source ${index}`);
      const requests = Array.from({ length: 40 }, (_, index) => {
        const ordered = index % 3 === 0 ? names.toReversed() : names;
        const visits = ordered.map((source) => visit({ source, occurred_at: daysAgo(index % 3) }));
        return { account_id: accounts[index % 2]?.account_token, visits };
      });
      const answers = await Promise.all(requests.map((request) => service.api.recordVisits(request)));
      expect(answers.every(({ recorded }) => recorded === 20)).toBe(true);
      for (const account of accounts) {
        const counted = await visitsOf(service, account);
        expect(counted.map(({ visits }) => visits)).toEqual(names.map(() => 20));
        const days = await service.server.database.kysely
          .selectFrom("visit_days")
          .select("sources")
          .where("account_id", "=", account.id)
          .execute();
        expect(days.map(({ sources }) => sources)).toEqual([20, 20, 20]);
      }
    });
  });
});
