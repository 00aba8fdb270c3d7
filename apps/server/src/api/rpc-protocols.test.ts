import type { Client } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeOnPostgres } from "../testing/behavior.js";
import { callConnect } from "../testing/connect-call.js";
import { callUnary, createGrpcConnection, getApiMethodDefinition } from "../testing/grpc-client.js";
import { createGrpcFrame } from "../testing/grpc-frame.js";
import { requireRefusal } from "../testing/refusal.js";
import {
  createAutomanagedPoolFields,
  getPoolKeyFields,
  newAccount,
  newAccountWithNumber,
  newPool,
  uniqueToken,
} from "../testing/request-fields.js";

const MAX_BODY_BYTES = 4 * 1024 * 1024;
const CREATE_ACCOUNT = "calltracking.v1.AccountService/CreateAccount";

describeOnPostgres("the RPC protocols", (service) => {
  describe("gRPC", () => {
    let client: Client;
    beforeAll(() => {
      client = createGrpcConnection(service.server.port);
    });
    afterAll(() => client?.close());

    test("UpdateAccount returns the account", async () => {
      const { id, account_token } = await newAccount(service.clients.grpc);
      const method = getApiMethodDefinition("AccountService", "UpdateAccount");
      const updated = await callUnary(client, method, { id, is_active: false });
      expect(updated).toMatchObject({ id, is_active: false, account_token });
    });

    test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
      "rejects a utilization of %d, which JSON cannot express, for an automanaged pool",
      async (utilization) => {
        const api = service.clients.grpc;
        const { account, number } = await newAccountWithNumber(api);
        const create = await requireRefusal(
          api.createPool(createAutomanagedPoolFields(account, number, { utilization })),
        );
        expect(create.violations).toEqual([{ field: "utilization", description: "must be between 0 and 1" }]);
        const { account: owner, pool } = await newPool(api);
        const update = await requireRefusal(api.updatePool({ ...getPoolKeyFields(owner, pool), utilization }));
        expect(update.violations).toEqual(create.violations);
      },
    );

    test.each([7, -1])("rejects the undefined pool type %d", async (pool_type) => {
      const api = service.clients.grpc;
      const { account, number } = await newAccountWithNumber(api);
      const refusal = await requireRefusal(api.createPool(createAutomanagedPoolFields(account, number, { pool_type })));
      expect(refusal.violations).toEqual([{ field: "pool_type", description: "must be manual or automanaged" }]);
    });

    test.each([
      ["getAccount", "account_id"],
      ["updateAccount", "id"],
      ["listPools", "account_id"],
      ["listPhoneNumbers", "account_id"],
      ["createPhoneNumber", "account_id"],
      ["createPool", "account_id"],
      ["getPool", "pool_id"],
      ["updatePool", "pool_id"],
      ["getPhoneNumber", "phone_number_id"],
    ] as const)("%s requires %s, which no path holds here", async (method, field) => {
      const missing = await requireRefusal(service.clients.grpc[method]({}));
      expect(missing.violations).toContainEqual({ field, description: "is required" });
      if (field === "id") return;
      const empty = await requireRefusal(service.clients.grpc[method]({ [field]: "" }));
      expect(empty.violations).toContainEqual({ field, description: "must not be empty" });
    });

    test("returns RESOURCE_EXHAUSTED for a message over 4 MiB, and keeps the connection", async () => {
      const method = getApiMethodDefinition("InventoryService", "AddTrackingNumbers");
      const tooLarge = callUnary(client, method, { request_id: "x".repeat(MAX_BODY_BYTES) });
      expect(await requireRefusal(tooLarge)).toMatchObject({ status: "RESOURCE_EXHAUSTED", reason: "BODY_TOO_LARGE" });
      const large = callUnary(client, method, { request_id: "x".repeat(MAX_BODY_BYTES - 100) });
      expect(await requireRefusal(large)).toMatchObject({ reason: "FIELD_INVALID" });
    });

    test("rejects bytes that are not a message", async () => {
      const requestSerialize = () => Buffer.from([0x0a, 0xff]);
      const method = { ...getApiMethodDefinition("AccountService", "CreateAccount"), requestSerialize };
      const refusal = await requireRefusal(callUnary(client, method, {}));
      expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", reason: "BODY_MALFORMED" });
    });

    test.each(["calltracking.v1.PoolService/DeletePool", "calltracking.v1.Nothing/Get", "nothing"])(
      "returns UNIMPLEMENTED for the unknown method %s",
      async (path) => {
        const method = { ...getApiMethodDefinition("AccountService", "ListAccounts"), path: `/${path}` };
        await expect(callUnary(client, method, {})).rejects.toMatchObject({ code: 12 });
      },
    );
  });

  describe("Connect", () => {
    test("calls a method with JSON", async () => {
      const accountToken = uniqueToken();
      const { httpStatus, body } = await callConnect(service.server.url, CREATE_ACCOUNT, { accountToken });
      expect(httpStatus).toBe(200);
      expect(body).toMatchObject({ accountToken, isActive: true });
    });

    test("calls methods without side effects with GET", async () => {
      const { id, account_token } = await newAccount(service.clients.grpc);
      const message = encodeURIComponent(JSON.stringify({ id }));
      const query = `connect=v1&encoding=json&message=${message}`;
      const response = await fetch(`${service.server.url}/calltracking.v1.AccountService/GetAccount?${query}`);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ id, accountToken: account_token });
    });

    test("rejects an unknown field, such as a misspelled utilisation", async () => {
      const { account, pool } = await newPool(service.clients.grpc);
      const request = { accountId: account.account_token, poolId: pool.id, utilisation: 0.9, size: 9 };
      const answer = await callConnect(service.server.url, "calltracking.v1.PoolService/UpdatePool", request);
      const [badRequest, info] = answer.details;
      expect(answer).toMatchObject({
        httpStatus: 400,
        code: "invalid_argument",
        message: expect.stringMatching(/^utilisation /),
      });
      expect(badRequest).toMatchObject({ field_violations: [{ field: "utilisation" }] });
      expect(info).toMatchObject({ reason: "FIELD_INVALID", domain: "calltracking" });
      expect(await service.clients.grpc.getPool(getPoolKeyFields(account, pool))).toEqual(pool);
    });

    test("rejects a message over 4 MiB", async () => {
      const request = { requestId: "x".repeat(MAX_BODY_BYTES) };
      const method = "calltracking.v1.InventoryService/AddTrackingNumbers";
      const answer = await callConnect(service.server.url, method, request);
      expect(answer).toMatchObject({ httpStatus: 429, code: "resource_exhausted" });
      expect(answer.details).toMatchObject([{ reason: "BODY_TOO_LARGE", domain: "calltracking" }]);
    });

    test.each(["{", "[]", '{"accountToken": "\\ud800"}'])("rejects a body that is not a message: %s", async (body) => {
      const response = await fetch(`${service.server.url}/${CREATE_ACCOUNT}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      expect(await response.json()).toMatchObject({
        code: "invalid_argument",
        details: [{ debug: { reason: "BODY_MALFORMED" } }],
      });
    });
  });

  describe("gRPC-Web", () => {
    /** Sends a gRPC-Web request with `fetch`. In the response, the message and the trailers are separate frames. */
    async function call(method: ReturnType<typeof getApiMethodDefinition>, request: object) {
      const response = await fetch(service.server.url + method.path, {
        method: "POST",
        headers: { "content-type": "application/grpc-web+proto", "x-grpc-web": "1" },
        body: createGrpcFrame(method.requestSerialize(request)),
      });
      expect(response.status).toBe(200);
      const frames = readFrames(Buffer.from(await response.arrayBuffer()));
      const trailers = frames.find(({ flags }) => flags === 0x80)?.data.toString() ?? "";
      const data = frames.find(({ flags }) => flags === 0)?.data;
      return { trailers, message: data && method.responseDeserialize(data) };
    }

    test("calls a method", async () => {
      const account_token = uniqueToken();
      const { trailers, message } = await call(getApiMethodDefinition("AccountService", "CreateAccount"), {
        account_token,
      });
      expect(trailers).toMatch(/^grpc-status: ?0\r?$/m);
      expect(message).toMatchObject({ account_token, is_active: true });
    });

    test("returns an error with its status and details in the trailers", async () => {
      const { trailers, message } = await call(getApiMethodDefinition("AccountService", "GetAccount"), {
        id: 2_147_483_647,
      });
      expect(message).toBeUndefined();
      expect(trailers).toMatch(/^grpc-status: ?5\r?$/m);
      expect(trailers).toMatch(/^grpc-status-details-bin: ?\S+\r?$/m);
    });
  });
});

function readFrames(bytes: Buffer): readonly { readonly flags: number; readonly data: Buffer }[] {
  const frames = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 5 + bytes.readUInt32BE(at + 1);
    frames.push({ flags: bytes.readUInt8(at), data: bytes.subarray(at + 5, end) });
    at = end;
  }
  return frames;
}
