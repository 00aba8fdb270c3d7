import { create, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { ListPoolsResponseSchema } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { StoredRow } from "@calltrack/postgres";
import { createResponseEncoder, OWN_ENCODING, type OwnEncoding } from "@calltrack/transcoding";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { type Database, openDatabase } from "../../database/open-database.js";
import { PATH_JSON } from "../../errors/json-path-options.js";
import { createTestDatabase } from "../../testing/test-database.js";
import { createListPoolsResponse, listPools } from "./pool-list.js";
import { poolOf } from "./pool-repository.js";
import type { PoolRow } from "./pool-statements.js";

type Row = typeof inserted extends fc.Arbitrary<infer T> ? T : never;
type Response = MessageShape<typeof ListPoolsResponseSchema> & { readonly [OWN_ENCODING]?: OwnEncoding };

const POOLS_FIELD = ListPoolsResponseSchema.field.pools;
const encoder = createResponseEncoder(ListPoolsResponseSchema, POOLS_FIELD, PATH_JSON);

/** Text that PostgreSQL can store: without NUL and unpaired surrogates. */
const text = fc
  .string({
    unit: fc.oneof(
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
      fc.constantFrom('"', "\\", "\n", "\u2028"),
    ),
  })
  .map((value) => value.toWellFormed().replaceAll("\0", ""));
const times = fc.date({
  min: new Date("0001-01-02T00:00:00Z"),
  max: new Date("9999-12-30T00:00:00Z"),
  noInvalidDate: true,
});
const inserted = fc
  .record({
    area_code: fc.stringMatching(/^\d{1,5}$/),
    description: fc.option(text),
    is_dni: fc.boolean(),
    is_prompted: fc.boolean(),
    is_recorded: fc.boolean(),
    property_token: fc.option(text.filter((value) => value !== "")),
    size: fc.integer({ min: 1, max: 10_000 }),
    utilization: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    created_at: times,
    updated_at: times,
  })
  // Only an automanaged pool has a utilization, and it has a property.
  .map((pool) => (pool.property_token === null ? { ...pool, utilization: null } : pool));

let database: Database;
let account: ResolvedAccount;

beforeAll(async () => {
  database = openDatabase(await createTestDatabase("postgres"));
  const { rows } = await sql<{ accountId: number }>`
    with account as (insert into accounts (account_token) values ('acme') returning id),
      number as (insert into phone_numbers (account_id, phone_number) select id, '+15550000001' from account)
    select id as "accountId" from account`.execute(database.kysely);
  account = { accountId: (rows[0] as { accountId: number }).accountId, accountToken: "acme" };
});

afterAll(() => database?.close());

/** Replaces the pools of the account, and lists them. */
async function listNew(pools: readonly Row[]): Promise<StoredRow<PoolRow>[]> {
  await sql`delete from pool_passes`.execute(database.kysely);
  await sql`delete from pools`.execute(database.kysely);
  await sql`insert into pools (account_id, original_number_id, area_code, description, is_dni, is_prompted, is_recorded, pool_type,
      property_token, size, utilization, created_at, updated_at)
    select account_id, number_id, area_code, description, is_dni, is_prompted, is_recorded,
      case when utilization is null then 'manual' else 'automanaged' end, property_token, size, utilization, created_at, updated_at
    from (select account_id, id from phone_numbers) as number (account_id, number_id),
      jsonb_to_recordset(${JSON.stringify(pools)}) as pool (area_code text, description text, is_dni boolean,
      is_prompted boolean, is_recorded boolean, property_token text, size integer, utilization float8, created_at timestamptz,
      updated_at timestamptz)`.execute(database.kysely);
  // The first run on a connection returns objects.
  await listPools(database.reads, account, { after: undefined, limit: null });
  const rows = await listPools(database.reads, account, { after: undefined, limit: null });
  expect(rows).toHaveLength(pools.length);
  return rows.map((row) => {
    expect(row).toBeInstanceOf(StoredRow);
    return row as StoredRow<PoolRow>;
  });
}

function referenceOf(
  rows: readonly StoredRow<PoolRow>[],
  context: ResolvedAccount,
  nextPageToken: string,
): MessageShape<typeof ListPoolsResponseSchema> {
  return create(ListPoolsResponseSchema, { pools: rows.map((row) => poolOf(context, row.read())), nextPageToken });
}

test("stored rows are written as their messages are, as JSON and in the binary format", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(inserted, { maxLength: 20 }), text, text, async (pools, accountToken, nextPageToken) => {
      const rows = await listNew(pools);
      const context = { ...account, accountToken };
      const reference = referenceOf(rows, context, nextPageToken);
      const respond = (): Response => createListPoolsResponse({ rows, context, nextPageToken });
      expect(encoder.encode(respond())).toBe(encoder.encode(reference));
      expect(respond()[OWN_ENCODING]?.encodeField(POOLS_FIELD, PATH_JSON)).toBe(
        rows.length === 0 ? undefined : encoder.encode(reference),
      );
      const bytes = respond()[OWN_ENCODING]?.encodeBinary();
      expect(bytes === undefined ? undefined : Buffer.from(bytes)).toEqual(
        rows.length === 0 ? undefined : Buffer.from(toBinary(ListPoolsResponseSchema, reference)),
      );
    }),
    { numRuns: 30 },
  );
});

const POOL: Row = {
  area_code: "415",
  description: "visitors of the shop",
  is_dni: true,
  is_prompted: false,
  is_recorded: true,
  property_token: "shop",
  size: 10,
  utilization: 0.5,
  created_at: new Date("2026-11-20T21:01:15.933Z"),
  updated_at: new Date("2026-11-21T08:30:00.120Z"),
};

test.each([0, 100, 16_384, 400_000])(
  "rows with texts of %d characters are written after and before others",
  async (length) => {
    const rows = await listNew([POOL, { ...POOL, description: "\u0001é".repeat(length / 2) }, POOL]);
    const reference = referenceOf(rows, account, "");
    const respond = (): Response => createListPoolsResponse({ rows, context: account, nextPageToken: "" });
    expect(encoder.encode(respond()) === encoder.encode(reference)).toBe(true);
    expect(
      Buffer.compare(toBinary(ListPoolsResponseSchema, respond()), toBinary(ListPoolsResponseSchema, reference)),
    ).toBe(0);
    expect(
      Buffer.compare(
        respond()[OWN_ENCODING]?.encodeBinary() as Uint8Array,
        toBinary(ListPoolsResponseSchema, reference),
      ),
    ).toBe(0);
  },
);

test("the messages of stored rows are made when something reads the list", async () => {
  const rows = await listNew([POOL, { ...POOL, size: 11 }]);
  const reference = referenceOf(rows, account, "next");
  const response = createListPoolsResponse({ rows, context: account, nextPageToken: "next" });
  expect(response.pools).toEqual(reference.pools);
  expect({ ...response }).toEqual({ ...reference });
});

test.each([
  ["reads and changes the list", (response: Response) => response.pools.pop()],
  ["replaces the list", (response: Response) => Object.assign(response, { pools: response.pools.slice(0, 1) })],
])("an interceptor that %s is obeyed", async (_, change) => {
  const rows = await listNew([POOL, { ...POOL, size: 11 }]);
  const response: Response = createListPoolsResponse({ rows, context: account, nextPageToken: "" });
  change(response);
  const reference = referenceOf(rows.slice(0, 1), account, "");
  expect(encoder.encode(response)).toBe(encoder.encode(reference));
  expect(response[OWN_ENCODING]?.encodeBinary()).toBeUndefined();
  expect(toBinary(ListPoolsResponseSchema, response)).toEqual(toBinary(ListPoolsResponseSchema, reference));
});

test("an interceptor that changes the page token is obeyed", async () => {
  const rows = await listNew([POOL]);
  const response: Response = createListPoolsResponse({ rows, context: account, nextPageToken: "next" });
  response.nextPageToken = "";
  const bytes = response[OWN_ENCODING]?.encodeBinary() as Uint8Array;
  expect(Buffer.from(bytes)).toEqual(Buffer.from(toBinary(ListPoolsResponseSchema, referenceOf(rows, account, ""))));
});
