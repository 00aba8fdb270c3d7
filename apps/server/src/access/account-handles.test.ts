import { expect, test } from "vitest";
import type { AccountJson, ApiClient } from "../testing/api-client.js";
import { describeBehavior } from "../testing/behavior.js";
import { requireRefusal } from "../testing/refusal.js";
import { newAccount, uniqueNumber, uniqueToken } from "../testing/request-fields.js";

/** Returns the token of the account to which a name resolves. Registers a phone number under that name to find out. */
async function tokenOf(api: ApiClient, name: string): Promise<string> {
  return (await api.createPhoneNumber({ account_id: name, phone_number: uniqueNumber() })).account_token;
}

/** Creates an account, and returns the id that the account after it will get. */
async function nextId(api: ApiClient): Promise<number> {
  return (await newAccount(api)).id + 1;
}

describeBehavior("account handles", (service) => {
  test("an account is identified by its token or its id", async () => {
    const { id, account_token } = await newAccount(service.api);
    expect(await tokenOf(service.api, account_token)).toBe(account_token);
    expect(await tokenOf(service.api, String(id))).toBe(account_token);
  });

  test("rejects a token that equals another account's id", async () => {
    const { id } = await newAccount(service.api);
    expect(await requireRefusal(service.api.createAccount({ account_token: String(id) }))).toMatchObject({
      status: "ALREADY_EXISTS",
      message: `account_token "${id}" is the id of another account: choose another token`,
      reason: "ACCOUNT_TOKEN_RESERVED",
      metadata: {},
    });
  });

  test("never assigns an id that equals another account's token", async () => {
    const first = await nextId(service.api);
    const tokens = [3, 4, 5, 6].map((ahead) => String(first + ahead));
    for (const account_token of tokens) await service.api.createAccount({ account_token });
    const later: AccountJson[] = [];
    for (let count = 0; count < 6; count++) later.push(await newAccount(service.api));
    expect(later.map(({ id }) => String(id)).filter((id) => tokens.includes(id))).toEqual([]);
    for (const token of tokens) expect(await tokenOf(service.api, token)).toBe(token);
  });

  test("accepts a token that equals its own account's id", async () => {
    const id = await nextId(service.api);
    const account = await service.api.createAccount({ account_token: String(id) });
    expect(account).toMatchObject({ id, account_token: String(id) });
    expect(await tokenOf(service.api, String(id))).toBe(String(id));
    expect(await requireRefusal(service.api.createAccount({ account_token: String(id) }))).toMatchObject({
      reason: "ACCOUNT_ALREADY_EXISTS",
      metadata: { account_id: String(id) },
    });
  });

  test.each([
    (id: number) => `0${id}`,
    (id: number) => `${id}.0`,
    (id: number) => `+${id}`,
    (id: number) => `-${id}`,
    (id: number) => `0x${id.toString(16)}`,
    (id: number) => `${id}e0`,
    (id: number) => String(id).replace(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit))),
  ])("treats only the canonical decimal as an id, and %o of it as a token", async (spell) => {
    const { id } = await newAccount(service.api);
    const refusal = await requireRefusal(service.api.listPools({ account_id: spell(id) }));
    expect(refusal).toMatchObject({ status: "NOT_FOUND", reason: "ACCOUNT_NOT_FOUND" });
    await service.api.createAccount({ account_token: spell(id) });
    expect(await tokenOf(service.api, spell(id))).toBe(spell(id));
  });

  test.each(["0", "2147483648", "99999999999999999999", "05", "5.0"])(
    "accepts the token %s, which is not a canonical id",
    async (text) => {
      const token = service.api === service.clients.json ? text : `${text}0`;
      const { id } = await service.api.createAccount({ account_token: token });
      expect(id).toBeLessThan(2 ** 31);
      expect(await tokenOf(service.api, token)).toBe(token);
    },
  );

  test.each([
    ["ListPools", (api: ApiClient, account_id: string) => api.listPools({ account_id })],
    ["ListPhoneNumbers", (api: ApiClient, account_id: string) => api.listPhoneNumbers({ account_id })],
    ["GetPool", (api: ApiClient, account_id: string) => api.getPool({ account_id, pool_id: crypto.randomUUID() })],
  ])("%s returns an error that quotes the name of an unknown account", async (_, call) => {
    const token = uniqueToken("nobody");
    expect(await requireRefusal(call(service.api, token))).toMatchObject({
      status: "NOT_FOUND",
      message: `account "${token}" not found: check the token or id, or create the account first`,
      reason: "ACCOUNT_NOT_FOUND",
    });
  });
});
