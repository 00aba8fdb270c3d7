import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../config/config.js";
import type { RequestFields } from "../../testing/api-client.js";
import { describeBehavior, type Service } from "../../testing/behavior.js";
import { createInvalidFieldRefusal, requireRefusal } from "../../testing/refusal.js";
import { newAccountWithNumber, uniqueNumber, uniqueToken } from "../../testing/request-fields.js";

const UUID = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/;

function record(original_number: string, fields: RequestFields = {}): RequestFields {
  const flags = { is_dni: true, is_prompted: false, is_recorded: true };
  return { original_number, area_code: "415", pool_type: "manual", size: 1, ...flags, ...fields };
}

async function createBatch({ api }: Service) {
  const { account, number } = await newAccountWithNumber(api);
  const account_id = account.account_token;
  const send = (...pools: readonly RequestFields[]) => api.batchCreatePools({ account_id, pools });
  const list = async () => (await api.listPools({ account_id })).entries;
  return { account, account_id, number, send, list };
}

function describeBatches(service: Service): void {
  const newBatch = () => createBatch(service);

  test("creates the pools in the order of the records, like CreatePool", async () => {
    const { number, send, list, account_id } = await newBatch();
    const automanaged = { pool_type: "automated", property_token: "shop", utilization: 0.25, description: "one" };
    const answer = await send(record(number, automanaged), record(number), record(number, { utilization: 7, size: 9 }));
    expect(answer).toEqual({ created: 3, already_there: 0, pool_ids: expect.any(Array), refused: [] });
    const single = await service.api.createPool({ account_id, ...record(number, automanaged) });
    const pools = await list();
    expect(new Set(pools.map(({ id }) => id))).toEqual(new Set([...answer.pool_ids, single.id]));
    const byId = new Map(pools.map((pool) => [pool.id, pool]));
    const [first, second, third] = answer.pool_ids.map((id) => byId.get(id));
    const { id, created_at, updated_at } = first ?? single;
    expect(first).toEqual({ ...single, id, created_at, updated_at });
    expect(second).toMatchObject({ pool_type: "manual", utilization: null, size: 1, description: null });
    expect(third).toMatchObject({ utilization: null, size: 9 });
  });

  test("creates pools of 1000 records, and schedules their passes", async () => {
    const { number, send, list, account } = await newBatch();
    const answer = await send(...Array.from({ length: 1000 }, (_, size) => record(number, { size: size + 1 })));
    expect(answer).toMatchObject({ created: 1000, refused: [] });
    const sizes = new Map((await list()).map(({ id, size }) => [id, size]));
    expect(answer.pool_ids.map((id) => sizes.get(id))).toEqual(Array.from({ length: 1000 }, (_, size) => size + 1));
    const { rows } = await sql`select from pool_passes where account_id = ${account.id}`.execute(
      service.server.database.kysely,
    );
    expect(rows).toHaveLength(1000);
  });

  test("rejects invalid records with all their faults, and creates the others", async () => {
    const { number, send, list } = await newBatch();
    const unregistered = uniqueNumber();
    const { created, pool_ids, refused } = await send(
      record("0", { size: 0, area_code: "x" }),
      record(number),
      record(number, { pool_type: "automanaged" }),
      record(unregistered),
      {},
      record(number, { request_id: "é" }),
      record(number, { description: "x".repeat(1001) }),
    );
    expect(created).toBe(1);
    expect((await list()).map(({ id }) => id)).toEqual([pool_ids[1]]);
    expect(pool_ids.map((id) => UUID.test(id))).toEqual([false, true, false, false, false, false, false]);
    expect(pool_ids.filter((id) => id === "")).toHaveLength(6);
    expect(refused.map(({ index, reason }) => [index, reason])).toEqual([
      [0, "FIELD_INVALID"],
      [2, "FIELD_INVALID"],
      [3, "PHONE_NUMBER_NOT_REGISTERED"],
      [4, "FIELD_INVALID"],
      [5, "FIELD_INVALID"],
      [6, "FIELD_INVALID"],
    ]);
    const messages = refused.map(({ message }) => message);
    expect(messages[0]).toBe(
      "original_number must be a phone number in E.164 format, such as +12223334444; area_code must be 1 to 5 digits; " +
        "size must be between 1 and 10000",
    );
    expect(messages[1]).toBe(
      "property_token is required for an automanaged pool; utilization is required for an automanaged pool",
    );
    expect(messages[2]).toBe(
      `original_number "${unregistered}" is not registered under this account: register it as a phone number first`,
    );
    expect(messages[4]).toBe("request_id must have 1 to 255 printable ASCII characters");
  });

  test("rejects every new record while the account is disabled, and returns existing pools", async () => {
    const { account, number, send, list } = await newBatch();
    const known = record(number, { request_id: randomUUID() });
    const first = await send(known);
    await service.api.updateAccount({ id: account.id, is_active: false });
    const answer = await send(known, record(number), record(uniqueNumber()));
    expect(answer).toMatchObject({ created: 0, already_there: 1, pool_ids: [first.pool_ids[0], "", ""] });
    expect(answer.refused.map(({ reason }) => reason)).toEqual(["ACCOUNT_DISABLED", "ACCOUNT_DISABLED"]);
    expect(await list()).toHaveLength(1);
  });

  describe("request ids", () => {
    test("make a repeated batch return the same pools", async () => {
      const { number, send, list } = await newBatch();
      const records = Array.from({ length: 20 }, () => record(number, { request_id: randomUUID() }));
      const first = await send(...records);
      expect(first.created).toBe(20);
      expect(await send(...records)).toEqual({ ...first, created: 0, already_there: 20 });
      const mixed = await send(record(number), ...records.toReversed(), record(number, { request_id: randomUUID() }));
      expect(mixed).toMatchObject({ created: 2, already_there: 20, refused: [] });
      expect(mixed.pool_ids.slice(1, -1)).toEqual(first.pool_ids.toReversed());
      expect(await list()).toHaveLength(22);
    });

    test("occurring twice in a batch create one pool, and are rejected for another record", async () => {
      const { number, send, list } = await newBatch();
      const request_id = randomUUID();
      const answer = await send(
        record(number, { request_id }),
        record(number, { request_id }),
        record(number, { request_id, size: 2 }),
      );
      expect(answer).toMatchObject({ created: 1, already_there: 1, refused: [{ index: 2 }] });
      expect(answer.refused[0]?.reason).toBe("IDEMPOTENCY_KEY_REUSED");
      expect(answer.pool_ids[1]).toBe(answer.pool_ids[0]);
      expect(await list()).toHaveLength(1);
      expect((await send(record(number, { request_id, size: 2 }))).refused[0]?.reason).toBe("IDEMPOTENCY_KEY_REUSED");
    });

    test("of rejected records can be used again", async () => {
      const { number, send, account_id } = await newBatch();
      const late = uniqueNumber();
      const records = [late, late, number].map((each) => record(each, { request_id: `of ${each}` }));
      expect(await send(...records)).toMatchObject({ created: 1, refused: [{ index: 0 }, { index: 1 }] });
      await service.api.createPhoneNumber({ account_id, phone_number: late });
      expect(await send(...records)).toMatchObject({ created: 1, already_there: 2, refused: [] });
    });

    test("are shared with CreatePool", async () => {
      const { number, send, account_id, list } = await newBatch();
      const [one, two] = [randomUUID(), randomUUID()];
      const single = await service.api.createPool({ account_id, ...record(number), request_id: one });
      const answer = await send(record(number, { request_id: one }), record(number, { request_id: two }));
      expect(answer).toMatchObject({ created: 1, already_there: 1 });
      expect(answer.pool_ids[0]).toBe(single.id);
      const repeated = await service.api.createPool({ account_id, ...record(number), request_id: two });
      expect(repeated.id).toBe(answer.pool_ids[1]);
      expect(await list()).toHaveLength(2);
    });

    test("are unique per account", async () => {
      const [one, other] = [await newBatch(), await newBatch()];
      const request_id = randomUUID();
      const ids = [
        ...(await one.send(record(one.number, { request_id }))).pool_ids,
        ...(await other.send(record(other.number, { request_id }))).pool_ids,
      ];
      expect(new Set(ids).size).toBe(2);
    });

    test("create each pool once when batches and single requests run concurrently, in any order", async () => {
      const { number, send, account_id, list } = await newBatch();
      const records = Array.from({ length: 50 }, () => record(number, { request_id: randomUUID() }));
      const [a, b, c] = [records, records.toReversed(), records.slice(10, 40)];
      const singles = records.slice(0, 5).map((each) => service.api.createPool({ account_id, ...each }));
      const answers = await Promise.all([send(...a), send(...b), send(...c), send(...a)]);
      const pools = await Promise.all(singles);
      expect(answers.flatMap(({ refused }) => refused)).toEqual([]);
      expect(answers[1]?.pool_ids.toReversed()).toEqual(answers[0]?.pool_ids);
      expect(answers[2]?.pool_ids).toEqual(answers[0]?.pool_ids.slice(10, 40));
      expect(pools.map(({ id }) => id)).toEqual(answers[0]?.pool_ids.slice(0, 5));
      expect(await list()).toHaveLength(50);
    });
  });

  describe("the request id of a batch", () => {
    test("makes a retry return the first response, over any protocol, and a different batch fail", async () => {
      const { number, account_id, list } = await newBatch();
      const pools = Array.from({ length: 20 }, (_, index) => record(number, { size: index + 1 }));
      const [request, other] = [pools, pools.slice(1)].map((each) => ({ account_id, pools: each }));
      const request_id = randomUUID();
      const first = await service.api.batchCreatePools({ ...request, request_id });
      expect(first).toMatchObject({ created: 20, already_there: 0, refused: [] });
      for (const api of Object.values(service.clients)) {
        expect(await api.batchCreatePools({ ...request, request_id: `"${request_id}"` })).toEqual(first);
        const refusal = await requireRefusal(api.batchCreatePools({ ...other, request_id }));
        expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", reason: "IDEMPOTENCY_KEY_REUSED" });
      }
      expect(await list()).toHaveLength(20);
      await service.api.batchCreatePools({ ...other, request_id: randomUUID() });
      expect(await list()).toHaveLength(39);
    });

    test("creates the pools of concurrent retries once", async () => {
      const { number, account_id, list } = await newBatch();
      const request_id = randomUUID();
      const send = (...pools: readonly RequestFields[]) =>
        service.api.batchCreatePools({ account_id, pools, request_id });
      const same = Array.from({ length: 4 }, () => send(record(number), record(number)));
      const answers = await Promise.all(same);
      expect(answers).toEqual(Array(4).fill(answers[0]));
      expect(await requireRefusal(send(record(number)))).toMatchObject({ reason: "IDEMPOTENCY_KEY_REUSED" });
      expect(await list()).toHaveLength(2);
    });

    test("lets a retry create the records that were rejected", async () => {
      const { account_id } = await newBatch();
      const [known, late] = [uniqueNumber(), uniqueNumber()];
      await service.api.createPhoneNumber({ account_id, phone_number: known });
      const pools = [record(late), record(known), record(late, { request_id: randomUUID() })];
      const request = { account_id, pools, request_id: randomUUID() };
      const first = await service.api.batchCreatePools(request);
      expect(first).toMatchObject({ created: 1, refused: [{ index: 0 }, { index: 2 }] });
      await service.api.createPhoneNumber({ account_id, phone_number: late });
      const retried = await service.api.batchCreatePools(request);
      expect(retried).toMatchObject({ created: 3, already_there: 0, refused: [] });
      expect(retried.pool_ids[1]).toBe(first.pool_ids[1]);
      expect(await service.api.batchCreatePools(request)).toEqual({ ...retried, created: 2, already_there: 1 });
    });

    test("is rejected if it is invalid", async () => {
      const { number, account_id } = await newBatch();
      const refusal = await requireRefusal(
        service.api.batchCreatePools({ account_id, pools: [record(number)], request_id: "a".repeat(256) }),
      );
      expect(refusal).toMatchObject({ reason: "FIELD_INVALID", violations: [{ field: "request_id" }] });
    });
  });

  test.each([
    ["no records", 0],
    ["1001 records", 1001],
  ])("rejects %s and says how many are allowed", async (_, count) => {
    const { number, list, account_id } = await newBatch();
    const pools = Array.from({ length: count }, () => record(number));
    const problem = `must contain 1 to 1000 records, not ${count}`;
    const refusal = await requireRefusal(service.api.batchCreatePools({ account_id, pools }));
    expect(refusal).toMatchObject(createInvalidFieldRefusal("pools", problem));
    expect(await list()).toEqual([]);
  });

  test("rejects an unknown account", async () => {
    const account_id = uniqueToken("nobody");
    const refusal = requireRefusal(service.api.batchCreatePools({ account_id, pools: [record("+12223334444")] }));
    expect(await refusal).toMatchObject({ status: "NOT_FOUND", reason: "ACCOUNT_NOT_FOUND" });
  });

  test("rejects fields of the wrong type, and unknown ones, by their index", async () => {
    const { number, account_id, list } = await newBatch();
    const pools = [record(number), record(number, { size: "10", utilisation: 1 }), { account_id: "other" }];
    const { violations } = await requireRefusal(service.clients.json.batchCreatePools({ account_id, pools }));
    expect(violations?.map(({ field }) => field)).toEqual(
      expect.arrayContaining(["pools[1].size", "pools[1].utilisation", "pools[2].account_id"]),
    );
    expect(await list()).toEqual([]);
  });
}

// Passes are disabled, because passes over thousands of pools would only take processor time.
describeBehavior("BatchCreatePools", describeBatches, { managesPools: false });

describeBehavior(
  "BatchCreatePools over the size limit",
  (service) => {
    test("is rejected", async () => {
      const { number, account_id, list } = await createBatch(service);
      const pools = Array.from({ length: 1000 }, () => record(number, { description: "😀".repeat(1100) }));
      await expect(service.api.batchCreatePools({ account_id, pools })).rejects.toThrow(/4194304|4 ?MiB|too large/i);
      expect(await list()).toEqual([]);
    });
  },
  // Node's HTTP/2 server waits this long for the rest of the rejected request before it stops.
  { limits: { ...readConfig({}).limits, requestTimeoutMs: 5000 } },
);
