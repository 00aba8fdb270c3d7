import { expect, test } from "vitest";
import type { AccountJson, ApiClient, PoolJson } from "./testing/api-client.js";
import { describeOnEngines, type Service } from "./testing/behavior.js";
import { type Refusal, RefusedError } from "./testing/refusal.js";
import {
  createAutomanagedPoolFields,
  createManualPoolFields,
  getPoolKeyFields,
  newAccount,
  newAccountWithNumber,
  newPool,
  uniqueNumber,
  uniqueToken,
} from "./testing/request-fields.js";
import { isLaterTimestamp } from "./testing/timestamp.js";

/** The results of concurrent requests. */
interface Outcomes<T> {
  readonly answers: readonly T[];
  readonly refusals: readonly Refusal[];
}

/** Sends `count` concurrent requests, half of them over JSON and half over gRPC. */
async function race<T>(
  { clients }: Service,
  count: number,
  call: (api: ApiClient, index: number) => Promise<T>,
): Promise<Outcomes<T>> {
  const apis = Object.values(clients);
  const calls = Array.from({ length: count }, (_, index) => call(apis[index % apis.length] as ApiClient, index));
  const settled = await Promise.allSettled(calls);
  const answers: T[] = [];
  const refusals: Refusal[] = [];
  for (const outcome of settled) {
    if (outcome.status === "fulfilled") answers.push(outcome.value);
    else if (outcome.reason instanceof RefusedError) refusals.push(outcome.reason.refusal);
    else throw outcome.reason;
  }
  return { answers, refusals };
}

/** Creates pools one after the other until the server rejects one, and returns the error. */
async function createPoolsUntilRefused(
  api: ApiClient,
  account: AccountJson,
  number: string,
  onCreated: () => void,
): Promise<Refusal> {
  for (;;) {
    try {
      await api.createPool(createManualPoolFields(account, number));
      onCreated();
    } catch (error) {
      if (error instanceof RefusedError) return error.refusal;
      throw error;
    }
  }
}

/** Asserts that 49 of 50 requests were rejected because the resource of the other request exists. */
function expectAllExist(refusals: readonly Refusal[], reason: string, metadata: Refusal["metadata"]): void {
  expect(refusals).toHaveLength(49);
  for (const refusal of refusals) expect(refusal).toMatchObject({ status: "ALREADY_EXISTS", reason, metadata });
}

describeOnEngines("races", (service) => {
  test("creates one account of 50 concurrent requests with the same token, and returns its id in the other errors", async () => {
    const account_token = uniqueToken();
    const { answers, refusals } = await race(service, 50, (api) => api.createAccount({ account_token }));
    expect(answers).toHaveLength(1);
    expectAllExist(refusals, "ACCOUNT_ALREADY_EXISTS", { account_id: String(answers[0]?.id) });
    const { entries } = await service.clients.json.listAccounts();
    expect(entries.filter((account) => account.account_token === account_token)).toEqual(answers);
  });

  test("registers a number once for 50 concurrent requests, and returns its id in the other errors", async () => {
    const { account_token: account_id } = await newAccount(service.clients.json);
    const phone_number = uniqueNumber();
    const { answers, refusals } = await race(service, 50, (api) => api.createPhoneNumber({ account_id, phone_number }));
    expect(answers).toHaveLength(1);
    expectAllExist(refusals, "PHONE_NUMBER_ALREADY_REGISTERED", { phone_number_id: String(answers[0]?.id) });
    expect((await service.clients.json.listPhoneNumbers({ account_id })).entries).toEqual(answers);
  });

  test("creates no pool after an account is disabled", async () => {
    const api = service.clients.json;
    const { account, number } = await newAccountWithNumber(api);
    const count = async () => (await api.listPools({ account_id: account.account_token })).entries.length;
    for (let round = 0; round < 5; round++) {
      let created = 0;
      const { promise: areCreating, resolve } = Promise.withResolvers<void>();
      const onCreated = () => {
        created++;
        if (created === 20) resolve();
      };
      const creating = race(service, 20, (each) => createPoolsUntilRefused(each, account, number, onCreated));
      // Waits until some pools exist, so that the account is disabled between two creations.
      await areCreating;
      await api.updateAccount({ id: account.id, is_active: false });
      const acknowledged = await count();
      const { answers } = await creating;
      expect(answers.map(({ reason }) => reason)).toEqual(Array(20).fill("ACCOUNT_DISABLED"));
      expect(await count()).toBe(acknowledged);
      await api.updateAccount({ id: account.id, is_active: true });
    }
  });

  test("applies all concurrent updates of different fields", async () => {
    const { account, pool } = await newPool(service.clients.json);
    for (let round = 1; round <= 15; round++) {
      const changes = [{ area_code: String(round) }, { size: round }, { utilization: round / 100 }];
      const { answers } = await race(service, 3, (api, index) =>
        api.updatePool({ ...getPoolKeyFields(account, pool), ...changes[index] }),
      );
      const after = await service.clients.json.getPool(getPoolKeyFields(account, pool));
      expect(after).toEqual({ ...pool, ...Object.assign({}, ...changes), updated_at: after.updated_at });
      expect(answers.map(({ updated_at }) => updated_at)).toContain(after.updated_at);
    }
  });

  test("serializes concurrent updates of one field, each with a unique updated_at", async () => {
    const { account, pool } = await newPool(service.clients.json);
    const { answers } = await race(service, 30, (api, index) =>
      api.updatePool({ ...getPoolKeyFields(account, pool), size: index + 1 }),
    );
    const inOrder = answers.toSorted((a, b) => (isLaterTimestamp(a.updated_at, b.updated_at) ? 1 : -1));
    expect(new Set(inOrder.map(({ updated_at }) => updated_at)).size).toBe(30);
    expect(await service.clients.json.getPool(getPoolKeyFields(account, pool))).toEqual(inOrder.at(-1));
  });

  test("never creates a token that is the id of another account", async () => {
    const api = service.clients.json;
    const first = (await newAccount(api)).id + 1;
    const token = (index: number) => (index % 2 === 0 ? String(first + index) : uniqueToken());
    const { answers, refusals } = await race(service, 80, (each, index) =>
      each.createAccount({ account_token: token(index) }),
    );
    for (const refusal of refusals) expect(refusal.reason).toBe("ACCOUNT_TOKEN_RESERVED");
    expect(answers.length + refusals.length).toBe(80);
    const tokens = new Map(answers.map(({ id, account_token }) => [account_token, id]));
    for (const { id, account_token } of answers) {
      expect(tokens.get(String(id)) ?? id).toBe(id);
      const { account_token: resolved } = await api.createPhoneNumber({
        account_id: String(id),
        phone_number: uniqueNumber(),
      });
      expect(resolved).toBe(account_token);
    }
  });

  test("orders pools by creation, whichever client creates them", async () => {
    const { account, number } = await newAccountWithNumber(service.clients.json);
    const created: PoolJson[] = [];
    for (let count = 0; count < 5; count++) {
      const { answers } = await race(service, 8, (api) => api.createPool(createAutomanagedPoolFields(account, number)));
      created.push(...answers.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
    }
    const { entries } = await service.clients.json.listPools({ account_id: account.account_token });
    expect(entries).toEqual(created);
  });
});

describeOnEngines(
  "races with UNREGISTERED_NUMBERS=register",
  (service) => {
    test("registers a number once for concurrent pools", async () => {
      const account = await newAccount(service.clients.json);
      const number = uniqueNumber();
      const { answers, refusals } = await race(service, 30, (api) =>
        api.createPool(createManualPoolFields(account, number)),
      );
      expect(refusals).toEqual([]);
      const { entries } = await service.clients.json.listPhoneNumbers({ account_id: account.account_token });
      expect(entries).toMatchObject([{ phone_number: number }]);
      expect(new Set(answers.map(({ original_number_id }) => original_number_id))).toEqual(new Set([entries[0]?.id]));
      expect((await service.clients.json.listPools({ account_id: account.account_token })).entries).toHaveLength(30);
    });

    test("registers a number once for concurrent pools and a registration", async () => {
      for (let round = 0; round < 10; round++) {
        const account = await newAccount(service.clients.json);
        const [account_id, phone_number] = [account.account_token, uniqueNumber()];
        const { refusals } = await race<unknown>(service, 10, (api, index) =>
          index === 5
            ? api.createPhoneNumber({ account_id, phone_number })
            : api.createPool(createManualPoolFields(account, phone_number)),
        );
        for (const { reason } of refusals) expect(reason).toBe("PHONE_NUMBER_ALREADY_REGISTERED");
        expect((await service.clients.json.listPhoneNumbers({ account_id })).entries).toHaveLength(1);
        expect((await service.clients.json.listPools({ account_id })).entries).toHaveLength(9);
      }
    });
  },
  { unregisteredNumbers: "register" },
);
