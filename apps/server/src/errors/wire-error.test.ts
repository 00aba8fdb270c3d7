import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import type { AccountJson, ApiClient, PoolJson } from "../testing/api-client.js";
import { describeBehavior, describeOnEngines } from "../testing/behavior.js";
import { callConnect } from "../testing/connect-call.js";
import { requireRefusal } from "../testing/refusal.js";
import {
  createManualPoolFields,
  getPoolKeyFields,
  newAccount,
  newAccountWithNumber,
  newPool,
  uniqueNumber,
} from "../testing/request-fields.js";

const TYPE = "type.googleapis.com/google.rpc.";
const MISSING = "01890000-0000-7000-8000-000000000000";

/** The resources in the rejected requests. */
interface Fixture {
  readonly account: AccountJson;
  readonly number: string;
  readonly numberId: string;
  readonly disabled: AccountJson;
  readonly disabledNumber: string;
  readonly pool: PoolJson;
  readonly poolAccount: AccountJson;
}

interface RefusedRequest {
  readonly reason: string;
  readonly status: string;
  readonly request: (api: ApiClient, fixture: Fixture) => Promise<unknown>;
  readonly message: (fixture: Fixture) => string;
  /** The details that precede the ErrorInfo. */
  readonly details: (fixture: Fixture, message: string) => readonly unknown[];
}

const badRequest = (...field_violations: object[]) => ({ "@type": `${TYPE}BadRequest`, field_violations });

const resourceInfo = (type: string, resource_name: string, description: string) => ({
  "@type": `${TYPE}ResourceInfo`,
  resource_type: `calltracking.v1.${type}`,
  resource_name,
  description,
});

const preconditionFailure = (type: string, subject: string, description: string) => ({
  "@type": `${TYPE}PreconditionFailure`,
  violations: [{ type, subject, description }],
});

const requests: readonly RefusedRequest[] = [
  {
    reason: "FIELD_INVALID",
    status: "INVALID_ARGUMENT",
    request: (api, { pool, poolAccount }) =>
      api.updatePool({ ...getPoolKeyFields(poolAccount, pool), area_code: "100%", size: 0 }),
    message: () => "area_code must be 1 to 5 digits; size must be between 1 and 10000",
    details: () => [
      badRequest(
        { field: "area_code", description: "must be 1 to 5 digits" },
        { field: "size", description: "must be between 1 and 10000" },
      ),
    ],
  },
  {
    reason: "PAGE_TOKEN_INVALID",
    status: "INVALID_ARGUMENT",
    request: (api) => api.listAccounts({ page_token: "x" }),
    message: () =>
      "page_token is not valid for this list: send the next_page_token of an earlier page unchanged, with the filters of that page",
    details: () => [
      badRequest({
        field: "page_token",
        description: "is not valid for this list: send the next_page_token of an earlier page unchanged",
      }),
    ],
  },
  {
    reason: "ACCOUNT_NOT_FOUND",
    status: "NOT_FOUND",
    request: (api) => api.listPools({ account_id: "nobody; 100% né 😀" }),
    message: () => 'account "nobody; 100% né 😀" not found: check the token or id, or create the account first',
    details: (_, description) => [resourceInfo("Account", "nobody; 100% né 😀", description)],
  },
  {
    reason: "ACCOUNT_ALREADY_EXISTS",
    status: "ALREADY_EXISTS",
    request: (api, { account }) => api.createAccount({ account_token: account.account_token }),
    message: ({ account }) =>
      `account_token "${account.account_token}" already belongs to an account: use the account with id ${account.id}`,
    details: ({ account }, description) => [resourceInfo("Account", account.account_token, description)],
  },
  {
    reason: "ACCOUNT_TOKEN_RESERVED",
    status: "ALREADY_EXISTS",
    request: (api, { account }) => api.createAccount({ account_token: String(account.id) }),
    message: ({ account }) => `account_token "${account.id}" is the id of another account: choose another token`,
    details: ({ account }, description) => [resourceInfo("Account", String(account.id), description)],
  },
  {
    reason: "ACCOUNT_DISABLED",
    status: "FAILED_PRECONDITION",
    request: (api, { disabled, disabledNumber }) => api.createPool(createManualPoolFields(disabled, disabledNumber)),
    message: ({ disabled }) =>
      `call tracking is disabled for account "${disabled.account_token}": enable it by setting is_active to true`,
    details: ({ disabled }, description) => [
      preconditionFailure("ACCOUNT_DISABLED", disabled.account_token, description),
    ],
  },
  {
    reason: "PHONE_NUMBER_NOT_REGISTERED",
    status: "FAILED_PRECONDITION",
    request: (api, { account }) => api.createPool(createManualPoolFields(account, "+12223334444")),
    message: () =>
      'original_number "+12223334444" is not registered under this account: register it as a phone number first',
    details: (_, description) => [preconditionFailure("PHONE_NUMBER_NOT_REGISTERED", "+12223334444", description)],
  },
  {
    reason: "PHONE_NUMBER_ALREADY_REGISTERED",
    status: "ALREADY_EXISTS",
    request: (api, { account, number }) =>
      api.createPhoneNumber({ account_id: account.account_token, phone_number: number }),
    message: ({ number, numberId }) =>
      `phone_number "${number}" is already registered under this account: use the phone number with id ${numberId}`,
    details: ({ number }, description) => [resourceInfo("PhoneNumber", number, description)],
  },
  {
    reason: "PHONE_NUMBER_NOT_FOUND",
    status: "NOT_FOUND",
    request: (api, { account }) => api.getPhoneNumber({ account_id: account.account_token, phone_number_id: MISSING }),
    message: () => `phone number "${MISSING}" not found under this account: check the id and the account`,
    details: (_, description) => [resourceInfo("PhoneNumber", MISSING, description)],
  },
  {
    reason: "POOL_NOT_FOUND",
    status: "NOT_FOUND",
    request: (api, { account }) => api.getPool({ account_id: account.account_token, pool_id: MISSING }),
    message: () => `pool "${MISSING}" not found under this account: check the id and the account`,
    details: (_, description) => [resourceInfo("Pool", MISSING, description)],
  },
];

describeBehavior("errors", (service) => {
  let fixture: Fixture;

  beforeAll(async () => {
    const api = service.clients.json;
    const { account, number, numberId } = await newAccountWithNumber(api);
    const { account: disabled, number: disabledNumber } = await newAccountWithNumber(api);
    await api.updateAccount({ id: disabled.id, is_active: false });
    const { account: poolAccount, pool } = await newPool(api);
    fixture = { account, number, numberId, disabled, disabledNumber, pool, poolAccount };
  });

  test.each(requests)(
    "$reason has status $status and the same message and details over JSON and gRPC",
    async (refused) => {
      const overJson = await requireRefusal(refused.request(service.clients.json, fixture));
      const message = refused.message(fixture);
      expect(overJson).toMatchObject({ status: refused.status, reason: refused.reason, message });
      expect(overJson.details.slice(0, -1)).toEqual(refused.details(fixture, message));
      expect(await requireRefusal(refused.request(service.clients.grpc, fixture))).toEqual(overJson);
    },
  );

  test("Connect clients get the same code, message and details", async () => {
    const request = { account_id: fixture.account.account_token, pool_id: MISSING };
    const overConnect = await callConnect(service.server.url, "calltracking.v1.PoolService/GetPool", request);
    expect(overConnect).toMatchObject({ httpStatus: 404, code: "not_found" });
    const overJson = await requireRefusal(service.clients.json.getPool(request));
    expect(overConnect.message).toBe(overJson.message);
    expect(overConnect.details).toEqual(overJson.details);
  });

  test.each(["json", "grpc"] as const)("messages quote at most 80 characters of a value, over %s", async (protocol) => {
    const account_id = "é".repeat(300);
    const refusal = await requireRefusal(service.clients[protocol].listPools({ account_id }));
    expect(refusal.message).toBe(
      `account "${"é".repeat(80)}…" not found: check the token or id, or create the account first`,
    );
  });
});

describeOnEngines("an unexpected failure", (service) => {
  test("is INTERNAL without its cause, and does not affect other requests", async () => {
    const { account, pool } = await newPool(service.clients.json);
    await sql`drop table pools cascade`.execute(service.server.database.kysely);
    for (const api of Object.values(service.clients)) {
      for (const call of [
        () => api.getPool(getPoolKeyFields(account, pool)),
        () => api.updatePool({ ...getPoolKeyFields(account, pool), size: 1 }),
        () => api.listPools({ account_id: account.account_token }),
        () => api.createPool(createManualPoolFields(account, uniqueNumber())),
      ]) {
        expect(await requireRefusal(call())).toMatchObject({
          status: "INTERNAL",
          message: "internal error: see the server's log",
          reason: "INTERNAL",
          details: [{ "@type": "type.googleapis.com/google.rpc.RequestInfo" }, { reason: "INTERNAL" }],
        });
      }
      await newAccount(api);
    }
  });
});
