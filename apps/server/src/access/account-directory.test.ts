import { expect, test } from "vitest";
import { describeOnPostgres, type Service } from "../testing/behavior.js";
import { newAccount, uniqueToken } from "../testing/request-fields.js";
import { createAccountDirectory } from "./account-directory.js";

/** Deletes handles from the database, so that only a cache can still resolve them. */
async function forget({ server }: Service, handles: readonly string[]): Promise<void> {
  await server.database.kysely.deleteFrom("account_handles").where("handle", "in", handles).execute();
}

describeOnPostgres("account directory", (service) => {
  const directory = (maxHandles?: number) => createAccountDirectory(service.server.database.db, maxHandles);

  test("resolves a cached account synchronously, by either handle", async () => {
    const { id, account_token } = await newAccount(service.clients.json);
    const { find, require } = directory();
    const account = { accountId: id, accountToken: account_token };
    for (const handle of [account_token, String(id)]) expect(await find(handle)).toEqual(account);
    await forget(service, [account_token, String(id)]);
    for (const handle of [account_token, String(id)]) {
      expect(find(handle)).toEqual(account);
      expect(require(handle)).toEqual(account);
    }
  });

  test("looks up an unknown handle each time", async () => {
    const { find, require } = directory();
    const account_token = uniqueToken();
    expect(await find(account_token)).toBeUndefined();
    await expect(require(account_token)).rejects.toMatchObject({
      reason: "ACCOUNT_NOT_FOUND",
      facts: { account: account_token },
    });
    const { id } = await service.clients.json.createAccount({ account_token });
    expect(await require(account_token)).toEqual({ accountId: id, accountToken: account_token });
  });

  test("shares one lookup between concurrent requests for a handle", async () => {
    const { account_token } = await newAccount(service.clients.json);
    const { find } = directory();
    const first = find(account_token);
    expect(first).toBeInstanceOf(Promise);
    expect(find(account_token)).toBe(first);
    await first;
    const nobody = uniqueToken();
    const unknown = find(nobody);
    expect(find(nobody)).toBe(unknown);
    await unknown;
    expect(find(nobody)).not.toBe(unknown);
  });

  test("caches at most the given number of handles, and at least the most recent half of them", async () => {
    const most = 10;
    const { find } = directory(most);
    const tokens: string[] = [];
    for (let count = 0; count < 3 * most; count++) tokens.push((await newAccount(service.clients.json)).account_token);
    const favorite = tokens[0] as string;
    for (const token of tokens) {
      await find(token);
      // A handle in constant use stays cached, however many other handles are looked up.
      await find(favorite);
    }
    await forget(service, tokens);
    const isKnown = await Promise.all(tokens.map(async (token) => (await find(token)) !== undefined));
    expect(isKnown[0]).toBe(true);
    expect(isKnown.slice(-most / 2)).toEqual(Array(most / 2).fill(true));
    expect(isKnown.filter(Boolean).length).toBeLessThanOrEqual(most);
  });
});
