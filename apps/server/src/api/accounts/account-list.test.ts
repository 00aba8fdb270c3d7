import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiClient, RequestFields } from "../../testing/api-client.js";
import { describeBehavior } from "../../testing/behavior.js";
import { createJsonClient } from "../../testing/json-client.js";
import { readPages } from "../../testing/read-pages.js";
import { requireRefusal } from "../../testing/refusal.js";
import { uniqueToken } from "../../testing/request-fields.js";
import { createTestDatabase } from "../../testing/test-database.js";
import { serveDatabase, type TestServer } from "../../testing/test-server.js";

/** Whether a token begins with `query`, implemented independently of the server. */
function begins(token: string, query: string): boolean {
  const fold = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return fold(token).startsWith(fold(query));
}

describeBehavior("filters of ListAccounts", (service) => {
  const root = uniqueToken("F");
  const ends = ["", "A", "a", "B", "b/c.d", "É", "é", "%", "_", "\\", "Z", "zz", "😀", "\u{fdff}", "ÄB", "äb"];
  const tokens = ends.map((end) => `${root}${end}`);
  const disabled = new Set([tokens[1], tokens[5], tokens[12]]);

  const listed = async (request: RequestFields) => {
    const { entries } = await service.api.listAccounts(request);
    return entries.map(({ account_token }) => account_token).filter((token) => token.startsWith(root));
  };

  beforeAll(async () => {
    for (const account_token of tokens) {
      const { id } = await service.api.createAccount({ account_token });
      if (disabled.has(account_token)) await service.api.updateAccount({ id, is_active: false });
    }
  });

  test.each(["", "a", "A", "b", "B/C", "É", "é", "%", "_", "\\", "z", "ZZ", "😀", "\u{fdff}", "ä", "x"])(
    "finds the tokens that begin with the root and %o, in either case of A to Z",
    async (end) => {
      for (const query of [`${root}${end}`, `${root}${end}`.toUpperCase()]) {
        const matching = tokens.filter((token) => begins(token, query));
        expect((await listed({ query })).toSorted()).toEqual(matching.toSorted());
      }
    },
  );

  test("finds nothing in the middle of a token", async () => {
    expect(await listed({ query: root.slice(1) })).toEqual([]);
  });

  test.each([true, false])("filters by is_active %s, alone and with a query", async (is_active) => {
    const matching = tokens.filter((token) => disabled.has(token) !== is_active);
    expect(await listed({ is_active })).toEqual(matching);
    expect((await listed({ is_active, query: root })).toSorted()).toEqual(matching.toSorted());
  });

  test("without filters, lists accounts in order of creation", async () => {
    expect(await listed({})).toEqual(tokens);
  });

  test("pages of a search have no gaps or overlaps, whatever the filter and the page size", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("", "a", "B", "é", "z"),
        fc.constantFrom(undefined, true, false),
        fc.integer({ min: 1, max: 7 }),
        async (end, is_active, page_size) => {
          const filter = { query: `${root}${end}`, ...(is_active !== undefined && { is_active }) };
          const { entries: all } = await service.api.listAccounts(filter);
          const paged = await readPages((page) => service.api.listAccounts({ ...filter, page_size, ...page }));
          expect(paged).toEqual(all);
        },
      ),
      { numRuns: 20 },
    );
  });

  describe("a page token", () => {
    const filters = [{}, { query: root }, { query: `${root}a` }, { is_active: true }, { query: root, is_active: true }];

    test("is valid for its filter only", async () => {
      for (const [index, filter] of filters.entries()) {
        const { nextPageToken: page_token } = await service.api.listAccounts({ ...filter, page_size: 1 });
        expect(page_token).not.toBe("");
        for (const [otherIndex, other] of filters.entries()) {
          const outcome = service.api.listAccounts({ ...other, page_token, page_size: 1 });
          if (index === otherIndex) expect((await outcome).entries).toHaveLength(1);
          else expect(await requireRefusal(outcome)).toMatchObject({ reason: "PAGE_TOKEN_INVALID" });
        }
      }
    });

    test("is the same for queries that differ in case", async () => {
      const { nextPageToken } = await service.api.listAccounts({ query: root.toLowerCase(), page_size: 1 });
      const rest = await service.api.listAccounts({ query: root.toUpperCase(), page_token: nextPageToken });
      expect(rest.entries.length).toBe(tokens.length - 1);
    });
  });

  test.each([
    ["an empty query", "", "must not be empty"],
    ["a query of 256 code points", "x".repeat(256), "must have at most 255 characters"],
    ["a query with a space", "a b", "must not contain whitespace"],
    ["a query with a private-use character", "a\u{10fffd}", "must not contain whitespace, control"],
    ["a query with the last code point", "\u{10ffff}", "must not contain whitespace, control"],
  ])("rejects %s and says why", async (_, query, problem) => {
    expect(await requireRefusal(service.api.listAccounts({ query, page_size: 0 }))).toMatchObject({
      status: "INVALID_ARGUMENT",
      reason: "FIELD_INVALID",
      violations: [
        { field: "page_size", description: "must be at least 1" },
        { field: "query", description: expect.stringContaining(problem) },
      ],
    });
  });

  test("rejects a value of is_active that is not a boolean", async () => {
    expect(await requireRefusal(service.clients.json.listAccounts({ is_active: "yes" }))).toMatchObject({
      status: "INVALID_ARGUMENT",
      violations: [{ field: "is_active", description: expect.stringContaining("true or false") }],
    });
  });
});

describe("the list of accounts on a cluster", () => {
  let api: ApiClient;
  let distributed: TestServer;

  beforeAll(async () => {
    const location = await createTestDatabase("postgres");
    const server = await serveDatabase(location);
    // Runs the statements for a cluster on one server: only their routing needs a cluster.
    distributed = await serveDatabase({ ...location, isDistributed: true }, { managesPools: false });
    api = createJsonClient(distributed.url);
    const plain = createJsonClient(server.url);
    for (let place = 0; place < 12; place++) {
      // The first account's token is its own id.
      const { id } = await plain.createAccount({ account_token: place === 0 ? "1" : `cluster-${place}` });
      if (place % 3 === 2 || place < 3) await plain.updateAccount({ id, is_active: false });
    }
    await server.stop();
  });

  afterAll(() => distributed?.stop());

  test.each([{}, { is_active: true }, { is_active: false }])(
    "has every account once, with the filter %o",
    async (filter) => {
      const { entries } = await api.listAccounts(filter);
      const places = Array.from({ length: 12 }, (_, place) => place).filter(
        (place) => filter.is_active === undefined || filter.is_active === !(place % 3 === 2 || place < 3),
      );
      expect(entries.map(({ id }) => id)).toEqual(places.map((place) => place + 1));
      for (const page_size of [1, 2, 3, places.length, 100]) {
        const paged = await readPages((page) => api.listAccounts({ ...filter, page_size, ...page }));
        expect(paged).toEqual(entries);
      }
    },
  );
});
