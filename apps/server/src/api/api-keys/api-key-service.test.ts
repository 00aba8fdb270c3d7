import { describe, expect, test } from "vitest";
import { describeBehavior } from "../../testing/behavior.js";
import { requireRefusal } from "../../testing/refusal.js";
import { newAccount, uniqueToken } from "../../testing/request-fields.js";
import { TIMESTAMP } from "../../testing/timestamp.js";

const KEY = /^ct_[0-9a-z]{12}_[0-9A-Za-z]{49}$/;
const IN_A_YEAR = new Date(Date.now() + 365 * 86_400_000).toISOString();

describeBehavior("API keys", (service) => {
  const newKey = (fields: object = {}) => service.api.createApiKey({ scopes: ["read"], ...fields });

  describe("CreateApiKey", () => {
    test("returns the key and its properties", async () => {
      const { account_token } = await newAccount(service.api);
      const fields = { scopes: ["write", "read", "write"], account_id: account_token };
      const made = await newKey({ ...fields, description: "for tries", expires_at: IN_A_YEAR });
      expect(made).toEqual({
        key: expect.stringMatching(KEY),
        api_key: {
          id: expect.any(String),
          prefix: made.key.split("_").slice(0, 2).join("_"),
          description: "for tries",
          scopes: ["write", "read"],
          account_token,
          created_at: expect.stringMatching(TIMESTAMP),
          expires_at: IN_A_YEAR,
          last_used_at: null,
          revoked_at: null,
        },
      });
      expect(await service.api.getApiKey({ api_key_id: made.api_key.id })).toEqual(made.api_key);
    });

    test("requires only scopes: by default a key has access to all accounts and never expires", async () => {
      const { api_key } = await newKey({ scopes: ["read", "write", "admin", "dni"] });
      expect(api_key).toMatchObject({
        scopes: ["read", "write", "admin", "dni"],
        description: null,
        account_token: null,
        expires_at: null,
      });
    });

    test("binds a key to an account named by token or id", async () => {
      const { id, account_token } = await newAccount(service.api);
      for (const account_id of [account_token, String(id)]) {
        expect((await newKey({ account_id })).api_key).toMatchObject({ account_token });
      }
    });

    test("rejects an unknown account", async () => {
      const account_id = uniqueToken("nobody");
      expect(await requireRefusal(newKey({ account_id }))).toMatchObject({
        status: "NOT_FOUND",
        reason: "ACCOUNT_NOT_FOUND",
        message: `account "${account_id}" not found: check the token or id, or create the account first`,
      });
    });

    test("reports all violations at once", async () => {
      const fields = { scopes: [], account_id: "", description: "x".repeat(1001), expires_at: "2020-01-01T00:00:00Z" };
      const refusal = await requireRefusal(newKey(fields));
      expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", reason: "FIELD_INVALID" });
      expect(refusal.violations.map(({ field }) => field).toSorted()).toEqual(Object.keys(fields).toSorted());
    });
  });

  describe("GetApiKey and RevokeApiKey", () => {
    test("find a key by its id in any case, without the secret", async () => {
      const { api_key, key } = await newKey();
      const found = await service.api.getApiKey({ api_key_id: api_key.id.toUpperCase() });
      expect(found).toEqual(api_key);
      expect(JSON.stringify(found)).not.toContain(key.split("_")[2]);
    });

    test.each(["nothing", "01890000-0000-7000-8000-000000000000"])("do not find %s", async (api_key_id) => {
      for (const call of [service.api.getApiKey, service.api.revokeApiKey]) {
        expect(await requireRefusal(call({ api_key_id }))).toMatchObject({
          status: "NOT_FOUND",
          reason: "API_KEY_NOT_FOUND",
          message: `API key "${api_key_id}" not found: check the id`,
        });
      }
    });

    test("a revoked key keeps the time of its first revocation", async () => {
      const { api_key } = await newKey();
      const revoked = await service.api.revokeApiKey({ api_key_id: api_key.id });
      expect(revoked).toEqual({ ...api_key, revoked_at: expect.stringMatching(TIMESTAMP) });
      expect(await service.api.revokeApiKey({ api_key_id: api_key.id })).toEqual(revoked);
      expect(await service.api.getApiKey({ api_key_id: api_key.id })).toEqual(revoked);
    });
  });

  describe("ListApiKeys", () => {
    test("lists the keys of an account page by page, oldest first, including revoked ones", async () => {
      const { id, account_token } = await newAccount(service.api);
      const keys = [];
      for (let count = 0; count < 3; count++) keys.push((await newKey({ account_id: account_token })).api_key);
      await newKey();
      keys[1] = await service.api.revokeApiKey({ api_key_id: keys[1]?.id });
      expect(await service.api.listApiKeys({ account_id: String(id) })).toEqual({ entries: keys, nextPageToken: "" });
      const first = await service.api.listApiKeys({ account_id: account_token, page_size: 2 });
      expect(first.entries).toEqual(keys.slice(0, 2));
      const page_token = first.nextPageToken;
      const rest = await service.api.listApiKeys({ account_id: account_token, page_token });
      expect(rest).toEqual({ entries: keys.slice(2), nextPageToken: "" });
      expect(await requireRefusal(service.api.listApiKeys({ page_token }))).toMatchObject({
        reason: "PAGE_TOKEN_INVALID",
      });
    });

    test("lists all keys", async () => {
      const { api_key: one } = await newKey();
      const { api_key: other } = await newKey({ account_id: (await newAccount(service.api)).account_token });
      const { entries } = await service.api.listApiKeys();
      expect(entries.filter(({ id }) => id === one.id || id === other.id)).toEqual([one, other]);
    });

    test("returns not found for an unknown account", async () => {
      const call = service.api.listApiKeys({ account_id: uniqueToken("nobody") });
      expect(await requireRefusal(call)).toMatchObject({ status: "NOT_FOUND", reason: "ACCOUNT_NOT_FOUND" });
    });
  });
});
