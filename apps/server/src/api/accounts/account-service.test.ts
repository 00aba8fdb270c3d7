import { describe, expect, test } from "vitest";
import { describeBehavior } from "../../testing/behavior.js";
import { createInvalidFieldRefusal, requireRefusal } from "../../testing/refusal.js";
import { newAccount, uniqueToken } from "../../testing/request-fields.js";
import { isLaterTimestamp, TIMESTAMP } from "../../testing/timestamp.js";

/** Larger than any id in the tests. */
const NO_ID = 2_147_483_647;

const acceptedTokens = [
  ["of one character", () => String.fromCodePoint(0x4e00 + Math.floor(Math.random() * 20_000))],
  ["of 255 code points, two code units each", () => "😀".repeat(219) + crypto.randomUUID()],
  ["in any script", () => uniqueToken("Müller-日本-ñ")],
  ["with punctuation", () => uniqueToken("a/b?c#d%2F&e=f:g;h,i'j\"k\\l@m!n*o(p)q[r]s{t}|u^v`w~x<y>z")],
  ["that looks like a number with a sign", () => `-${Date.now()}`],
] as const;

const refusedTokens = [
  ["that is empty", "", "must not be empty"],
  ["of 256 code points", "x".repeat(256), "must have at most 255 characters"],
  ["with a space", "a b", "must not contain whitespace, control, format or unassigned characters"],
  ["with a line break at its end", "a\n", "must not contain"],
] as const;

describeBehavior("accounts", (service) => {
  describe("CreateAccount", () => {
    test("returns an active account with its token and equal times", async () => {
      const token = uniqueToken();
      const account = await service.api.createAccount({ account_token: token });
      expect(account).toEqual({
        id: expect.any(Number),
        is_active: true,
        account_token: token,
        created_at: expect.stringMatching(TIMESTAMP),
        updated_at: account.created_at,
      });
      expect(account.id).toSatisfy((id: number) => Number.isInteger(id) && id > 0 && id < 2 ** 31);
    });

    test.each(acceptedTokens)("accepts a token %s and returns it unchanged", async (_, makeToken) => {
      const token = makeToken();
      const { id } = await service.api.createAccount({ account_token: token });
      expect((await service.api.getAccount({ id })).account_token).toBe(token);
      expect(await service.api.listPools({ account_id: token })).toEqual({ entries: [], nextPageToken: "" });
    });

    test.each(refusedTokens)("rejects a token %s", async (_, token, problem) => {
      expect(await requireRefusal(service.api.createAccount({ account_token: token }))).toMatchObject({
        status: "INVALID_ARGUMENT",
        reason: "FIELD_INVALID",
        violations: [{ field: "account_token", description: expect.stringContaining(problem) }],
      });
    });

    test("rejects a token with a NUL", async () => {
      const refusal = await requireRefusal(service.api.createAccount({ account_token: "a\0b" }));
      expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", violations: [{ field: "account_token" }] });
    });

    test("requires the token", async () => {
      const refusal = await requireRefusal(service.api.createAccount());
      expect(refusal).toMatchObject(createInvalidFieldRefusal("account_token", "is required"));
    });

    test("rejects the token of an existing account, with that account's id in the metadata", async () => {
      const { id, account_token } = await newAccount(service.api);
      expect(await requireRefusal(service.api.createAccount({ account_token }))).toMatchObject({
        status: "ALREADY_EXISTS",
        message: `account_token "${account_token}" already belongs to an account: use the account with id ${id}`,
        reason: "ACCOUNT_ALREADY_EXISTS",
        metadata: { account_id: String(id) },
      });
    });

    test("distinguishes tokens by case and Unicode normalization", async () => {
      const token = uniqueToken("caf\u00e9");
      const ids = new Set<number>();
      for (const account_token of [token, token.toUpperCase(), token.normalize("NFD")]) {
        ids.add((await service.api.createAccount({ account_token })).id);
      }
      expect(ids.size).toBe(3);
    });
  });

  describe("GetAccount", () => {
    test("returns what CreateAccount returned", async () => {
      const account = await newAccount(service.api);
      expect(await service.api.getAccount({ id: account.id })).toEqual(account);
    });

    test.each(["JSON", "gRPC"])("accepts the token or the id over %s", async (protocol) => {
      const { json, grpc } = service.clients;
      const api = protocol === "JSON" ? json : grpc;
      const name = protocol === "JSON" ? "id" : "account_id";
      for (const token of [uniqueToken("a/b?c"), uniqueToken("05")]) {
        const account = await api.createAccount({ account_token: token });
        expect(await api.getAccount({ [name]: token })).toEqual(account);
        expect(await api.getAccount({ [name]: String(account.id) })).toEqual(account);
      }
      expect(await requireRefusal(api.getAccount({ [name]: "nobody" }))).toMatchObject({
        message: 'account "nobody" not found: check the token or id, or create the account first',
        reason: "ACCOUNT_NOT_FOUND",
      });
    });

    test("returns not found for an unknown id", async () => {
      expect(await requireRefusal(service.api.getAccount({ id: NO_ID }))).toMatchObject({
        status: "NOT_FOUND",
        message: `account "${NO_ID}" not found: check the token or id, or create the account first`,
        reason: "ACCOUNT_NOT_FOUND",
      });
    });

    test.each([0, -1, -2_147_483_648])("rejects the invalid id %i in the deprecated field", async (id) => {
      expect(await requireRefusal(service.clients.grpc.getAccount({ id }))).toMatchObject({
        status: "INVALID_ARGUMENT",
        reason: "FIELD_INVALID",
        violations: [{ field: "id", description: expect.any(String) }],
      });
    });
  });

  describe("UpdateAccount", () => {
    test("disables and enables an account, advances updated_at and changes nothing else", async () => {
      const before = await newAccount(service.api);
      await service.api.updateAccount({ id: before.id, is_active: false });
      const disabled = await service.api.getAccount({ id: before.id });
      expect(disabled).toEqual({ ...before, is_active: false, updated_at: disabled.updated_at });
      expect(disabled.updated_at).toSatisfy((time: string) => isLaterTimestamp(time, before.updated_at));
      await service.api.updateAccount({ id: before.id, is_active: true });
      const enabled = await service.api.getAccount({ id: before.id });
      expect(enabled).toEqual({ ...before, updated_at: enabled.updated_at });
      expect(enabled.updated_at).toSatisfy((time: string) => isLaterTimestamp(time, disabled.updated_at));
    });

    test.each([true, false])("succeeds if is_active already is %s, and advances updated_at", async (is_active) => {
      const { id } = await newAccount(service.api);
      await service.api.updateAccount({ id, is_active });
      const before = await service.api.getAccount({ id });
      await service.api.updateAccount({ id, is_active });
      const after = await service.api.getAccount({ id });
      expect(after).toEqual({ ...before, updated_at: after.updated_at });
      expect(after.updated_at).toSatisfy((time: string) => isLaterTimestamp(time, before.updated_at));
    });

    test("requires is_active, and leaves the account unchanged without it", async () => {
      const account = await newAccount(service.api);
      const refusal = await requireRefusal(service.api.updateAccount({ id: account.id }));
      expect(refusal).toMatchObject(createInvalidFieldRefusal("is_active", "is required"));
      expect(await service.api.getAccount({ id: account.id })).toEqual(account);
    });

    test("returns not found for an unknown id", async () => {
      const refusal = await requireRefusal(service.api.updateAccount({ id: NO_ID, is_active: true }));
      expect(refusal).toMatchObject({ status: "NOT_FOUND", reason: "ACCOUNT_NOT_FOUND" });
    });

    test("validates the fields before looking up the account", async () => {
      const refusal = await requireRefusal(service.api.updateAccount({ id: NO_ID }));
      expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", violations: [{ field: "is_active" }] });
    });

    test("reports all violations at once", async () => {
      const refusal = await requireRefusal(service.api.updateAccount({ id: 0 }));
      expect(refusal.violations.map(({ field }) => field)).toEqual(["id", "is_active"]);
    });
  });

  test("ListAccounts returns all accounts in the order of their creation, including disabled ones", async () => {
    const created = [await newAccount(service.api), await newAccount(service.api), await newAccount(service.api)];
    await service.api.updateAccount({ id: created[1]?.id, is_active: false });
    const { entries, nextPageToken } = await service.api.listAccounts();
    expect(entries.slice(-3).map(({ id, is_active }) => [id, is_active])).toEqual([
      [created[0]?.id, true],
      [created[1]?.id, false],
      [created[2]?.id, true],
    ]);
    expect(entries.at(-1)).toEqual(created[2]);
    expect(nextPageToken).toBe("");
  });
});
