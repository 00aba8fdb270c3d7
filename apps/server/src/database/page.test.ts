import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import type { AccountJson, ApiClient, PageJson, RequestFields } from "../testing/api-client.js";
import { describeBehavior, type Service } from "../testing/behavior.js";
import { requireRefusal } from "../testing/refusal.js";
import {
  createManualPoolFields,
  newAccount,
  newAccountWithNumber,
  newPool,
  uniqueNumber,
  uniqueToken,
} from "../testing/request-fields.js";

type Entry = { readonly id: unknown };

/** A paged list of the API, and functions that fill it for a test. */
interface TestedList {
  readonly name: string;
  readonly list: (api: ApiClient, request: RequestFields) => Promise<PageJson<Entry>>;
  /** Adds an entry to the list of an account. */
  readonly add: (api: ApiClient, account: AccountJson, number: string) => Promise<unknown>;
  /** Adds more entries to the list of an account than the maximum page size. */
  readonly fill: (service: Service, accountId: number) => Promise<unknown>;
  /** The fields that identify the owner of the list. */
  readonly owner: (account: AccountJson) => RequestFields;
}

const MORE_THAN_A_PAGE = sql.lit(1001);

/** The functions that the tested lists of pools share. */
const POOLS: Omit<TestedList, "name" | "list"> = {
  add: (api, account, number) => api.createPool(createManualPoolFields(account, number)),
  fill: ({ server }, accountId) =>
    sql`insert into pools (account_id, original_number_id, area_code, is_dni, is_prompted, is_recorded, pool_type, size)
          select ${accountId}, id, '1', true, true, true, 'manual', 1
          from phone_numbers, generate_series(1, ${MORE_THAN_A_PAGE}) where account_id = ${accountId}
    `.execute(server.database.kysely),
  owner: ({ account_token }) => ({ account_id: account_token }),
};

const lists: readonly TestedList[] = [
  {
    name: "ListAccounts",
    list: (api, request) => api.listAccounts(request),
    add: (api) => newAccount(api),
    fill: ({ server }) =>
      sql`with filled as (insert into accounts (account_token)
            select ${uniqueToken()} || n from generate_series(1, ${MORE_THAN_A_PAGE}) as n returning id, account_token)
          insert into account_handles (handle, account_id, account_token)
            select account_token, id, account_token from filled union all select id::text, id, account_token from filled
      `.execute(server.database.kysely),
    owner: () => ({}),
  },
  {
    name: "ListPhoneNumbers",
    list: (api, request) => api.listPhoneNumbers(request),
    add: (api, { account_token }) => api.createPhoneNumber({ account_id: account_token, phone_number: uniqueNumber() }),
    fill: ({ server }, accountId) =>
      sql`insert into phone_numbers (account_id, phone_number)
            select ${accountId}, '+1' || 1000000000 + n from generate_series(1, ${MORE_THAN_A_PAGE}) as n
      `.execute(server.database.kysely),
    owner: ({ account_token }) => ({ account_id: account_token }),
  },
  {
    name: "ListPools",
    list: (api, request) => api.listPools(request),
    ...POOLS,
  },
  {
    name: "ListPoolSummaries",
    // Keeps only the ids, because the first passes change the other fields of the pools.
    list: async (api, request) => {
      const { entries, nextPageToken } = await api.listPoolSummaries(request);
      return { entries: entries.map(({ id }) => ({ id })), nextPageToken };
    },
    ...POOLS,
  },
];

function describePaging(service: Service): void {
  describe.each(lists)("of $name", ({ list, add, owner }) => {
    let account: AccountJson;
    let all: readonly Entry[];
    const page = (request: RequestFields) => list(service.api, { ...owner(account), ...request });
    const tokenAfter = async (page_size: number) => (await page({ page_size })).nextPageToken;

    beforeAll(async () => {
      const created = await newAccountWithNumber(service.api);
      account = created.account;
      for (let count = 0; count < 7; count++) await add(service.api, account, created.number);
      all = (await page({})).entries;
    });

    test("a list without page_size is complete and has no next page", async () => {
      expect(all.length).toBeGreaterThanOrEqual(7);
      expect(await page({})).toEqual({ entries: all, nextPageToken: "" });
    });

    test("pages have no gaps or overlaps, and the last has no token", async () => {
      const read: Entry[] = [];
      let page_token: string | undefined;
      do {
        const { entries, nextPageToken } = await page({ page_size: 3, ...(page_token && { page_token }) });
        expect(entries).toHaveLength(Math.min(3, all.length - read.length));
        read.push(...entries);
        page_token = nextPageToken;
      } while (page_token);
      expect(read).toEqual(all);
    });

    test("the page size may differ between pages, and a token without page_size returns all remaining entries", async () => {
      const first = await page({ page_size: 1 });
      const second = await page({ page_size: 2, page_token: first.nextPageToken });
      const rest = await page({ page_token: second.nextPageToken });
      expect([...first.entries, ...second.entries, ...rest.entries]).toEqual(all);
      expect(rest.nextPageToken).toBe("");
    });

    test("a page with exactly the remaining entries has no token", async () => {
      expect(await page({ page_size: all.length })).toEqual({ entries: all, nextPageToken: "" });
      const before = await page({ page_size: all.length - 1 });
      const last = await page({ page_size: 1, page_token: before.nextPageToken });
      expect(last).toEqual({ entries: all.slice(-1), nextPageToken: "" });
    });

    test("a token can be used several times", async () => {
      const page_token = await tokenAfter(2);
      expect(await page({ page_size: 2, page_token })).toEqual(await page({ page_size: 2, page_token }));
    });

    test("an empty token counts as none", async () => {
      expect(await page({ page_token: "" })).toEqual({ entries: all, nextPageToken: "" });
    });

    test.each([0, -1, -2_147_483_648])("rejects a page size of %i", async (page_size) => {
      expect(await requireRefusal(page({ page_size }))).toMatchObject({
        status: "INVALID_ARGUMENT",
        message: "page_size must be at least 1",
        reason: "FIELD_INVALID",
        violations: [{ field: "page_size", description: "must be at least 1" }],
      });
    });

    test.each([
      ["made up", () => "made-up"],
      ["of other characters", () => "!§ü 😀"],
      ["of one character", () => "A"],
      ["as long as a URL may be", () => "x".repeat(4000)],
      ["cut short", (token: string) => token.slice(0, -1)],
      ["grown longer", (token: string) => `${token}A`],
      ["padded", (token: string) => `${token}=`],
      ["changed at its start", (token: string) => (token.startsWith("A") ? "B" : "A") + token.slice(1)],
      ["that is the id of an entry", () => String(all[0]?.id)],
    ])("rejects a token that is %s", async (_, spoil) => {
      const page_token = spoil(await tokenAfter(1));
      expect(await requireRefusal(page({ page_token }))).toMatchObject({
        status: "INVALID_ARGUMENT",
        message:
          "page_token is not valid for this list: send the next_page_token of an earlier page unchanged, with the filters of that page",
        reason: "PAGE_TOKEN_INVALID",
        violations: [{ field: "page_token", description: expect.any(String) }],
      });
    });

    test("rejects the token of another list", async () => {
      for (const other of lists.filter(({ list: otherList }) => otherList !== list)) {
        const page_token = await tokenAfter(1);
        const refusal = await requireRefusal(other.list(service.api, { ...other.owner(account), page_token }));
        expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", reason: "PAGE_TOKEN_INVALID" });
      }
    });
  });

  describe.each(lists.slice(1))("of $name", ({ list, add, owner }) => {
    test("rejects the token for another account's list with the same number of entries", async () => {
      const tokens = [];
      const { account, number } = await newPool(service.api);
      const other = await newPool(service.api);
      for (const each of [{ account, number }, other]) {
        await add(service.api, each.account, each.number);
        tokens.push((await list(service.api, { ...owner(each.account), page_size: 1 })).nextPageToken);
      }
      const refusal = await requireRefusal(list(service.api, { ...owner(account), page_token: tokens[1] }));
      expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", reason: "PAGE_TOKEN_INVALID" });
    });

    test("a token from a request by account token is valid in a request by account id, and vice versa", async () => {
      const { account, number } = await newPool(service.api);
      for (let count = 0; count < 3; count++) await add(service.api, account, number);
      const names = [account.account_token, String(account.id)];
      for (const [first, second] of [names, names.toReversed()]) {
        const { entries, nextPageToken } = await list(service.api, { account_id: first, page_size: 1 });
        const rest = await list(service.api, { account_id: second, page_token: nextPageToken });
        const all = await list(service.api, { account_id: first });
        expect([...entries, ...rest.entries]).toEqual(all.entries);
      }
    });

    test("validates the page parameters before it looks up the account", async () => {
      const account_id = uniqueToken("nobody");
      expect(await requireRefusal(list(service.api, { account_id, page_size: 0 }))).toMatchObject({
        reason: "FIELD_INVALID",
      });
      expect(await requireRefusal(list(service.api, { account_id, page_token: "x" }))).toMatchObject({
        reason: "PAGE_TOKEN_INVALID",
      });
      expect(await requireRefusal(list(service.api, { account_id, page_size: 1 }))).toMatchObject({
        reason: "ACCOUNT_NOT_FOUND",
      });
    });
  });
}

describeBehavior("paging", (service) => {
  describePaging(service);

  // This test is last because it fills the list of accounts, which all tests share.
  test.each(lists)(
    "reduces a page size over 1000 of $name to 1000, and returns whole lists of more",
    async ({ list, fill, owner }) => {
      const { account } = await newAccountWithNumber(service.clients.json);
      await fill(service, account.id);
      for (const api of Object.values(service.clients)) {
        for (const page_size of [1000, 1001, 2_147_483_647]) {
          const { entries, nextPageToken } = await list(api, { ...owner(account), page_size });
          expect(entries).toHaveLength(1000);
          expect(nextPageToken).not.toBe("");
        }
        const first = await list(api, { ...owner(account), page_size: 1000 });
        const rest = await list(api, { ...owner(account), page_token: first.nextPageToken });
        const { entries } = await list(api, owner(account));
        expect(entries.length).toBeGreaterThan(1000);
        expect(entries).toEqual([...first.entries, ...rest.entries]);
      }
    },
  );
});
