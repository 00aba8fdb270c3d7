import { sql } from "kysely";
import { clockNowExpression } from "../clock/clock.js";
import type {
  AccountJson,
  ApiClient,
  CallTrackerChangeJson,
  CallTrackerJson,
  PoolJson,
  RequestFields,
} from "./api-client.js";
import {
  createAutomanagedPoolFields,
  createManualPoolFields,
  getPoolKeyFields,
  newAccountWithNumber,
  uniqueToken,
} from "./request-fields.js";
import type { TestServer } from "./test-server.js";

let lastArea = 0;

/** Returns an area code that no other pool of the test file uses: 5 digits. */
export function uniqueAreaCode(): string {
  return String(++lastArea).padStart(5, "0");
}

/** A pool whose area code and property no other pool uses, so that tests do not share numbers or visits. */
export interface TrackedPool {
  readonly account: AccountJson;
  readonly pool: PoolJson;
  readonly originalNumber: string;
  readonly areaCode: string;
  readonly property: string;
  /** The request fields that identify the pool. */
  readonly name: RequestFields;
  /** The request fields that identify the property. */
  readonly page: RequestFields;
  /** The call trackers after the creation of the pool, oldest first. */
  readonly trackers: readonly CallTrackerJson[];
  addNumbers(count: number): Promise<readonly string[]>;
  /** Records visits. The keys are `source / medium`; the values are numbers of visits. */
  visit(visits: Readonly<Record<string, number>>): Promise<void>;
  /** Records the visits, runs a pass over the pool and returns its call trackers, oldest first. */
  pass(visits?: Readonly<Record<string, number>>): Promise<readonly CallTrackerJson[]>;
}

/** Creates a pool, adds `numbers` numbers with its area code to the inventory, and runs a pass. Records `visits`, if given, and runs another pass. */
export async function newTrackedPool(
  { api, server }: { readonly api: ApiClient; readonly server: TestServer },
  {
    numbers = 10,
    visits,
    ...fields
  }: RequestFields & { readonly numbers?: number; readonly visits?: Readonly<Record<string, number>> } = {},
): Promise<TrackedPool> {
  const { account, number } = await newAccountWithNumber(api);
  const areaCode = uniqueAreaCode();
  const property = uniqueToken("property");
  await addNumbers(api, areaCode, numbers);
  const template = fields.pool_type === "manual" ? createManualPoolFields : createAutomanagedPoolFields;
  const pool = await api.createPool(
    template(account, number, { area_code: areaCode, property_token: property, size: 10, ...fields }),
  );
  const name = getPoolKeyFields(account, pool);
  const tracked: Omit<TrackedPool, "trackers"> = {
    account,
    pool,
    originalNumber: number,
    areaCode,
    property,
    name,
    page: { account_id: account.account_token, property_token: property },
    addNumbers: (count) => addNumbers(api, areaCode, count),
    async visit(visits) {
      const records = Object.entries(visits).map(([name, count]) => {
        const [source, medium] = name.split(" / ");
        return { event_id: uniqueToken("event"), property_token: property, source, medium, count };
      });
      await api.recordVisits({ account_id: account.account_token, visits: records });
    },
    async pass(visits) {
      if (visits !== undefined) await tracked.visit(visits);
      await makePoolDue(server, account.id, pool.id);
      await server.runDue();
      return (await api.listCallTrackers(name)).entries;
    },
  };
  const trackers = await tracked.pass();
  return { ...tracked, trackers: visits === undefined ? trackers : await tracked.pass(visits) };
}

/** Formats a change as `flagged google: REASON`. */
export function describeChange({ kind, source, reason }: CallTrackerChangeJson): string {
  return `${kind} ${source ?? "-"}: ${reason}`;
}

let lastNumber = 0;

export async function addNumbers(api: ApiClient, areaCode: string, count: number): Promise<readonly string[]> {
  const numbers = Array.from({ length: count }, () => `+1900${String(++lastNumber).padStart(7, "0")}`);
  if (count > 0) {
    await api.addTrackingNumbers({
      tracking_numbers: numbers.map((phone_number) => ({ phone_number, area_code: areaCode })),
    });
  }
  return numbers;
}

/**
 * Makes a pool due for a pass immediately. Without this function, recent visits would make the pool due only at the next interval. `seconds` moves
 * the due time into the past.
 */
export async function makePoolDue(
  { database }: TestServer,
  accountId: number,
  poolId: string,
  seconds = 0,
): Promise<void> {
  await database.kysely
    .updateTable("pool_passes")
    .set({ due_at: sql<Date>`${clockNowExpression} - ${seconds} * interval '1 second'` })
    .where("account_id", "=", accountId)
    .where("pool_id", "=", poolId)
    .execute();
}

/**
 * Ensures that no pool is due for a pass until the pool changes. Call this function after each test of a suite that advances the clock. Otherwise,
 * each test also runs passes over the pools of all earlier tests.
 */
export async function unscheduleAllPools({ database }: TestServer): Promise<void> {
  await database.kysely
    .updateTable("pool_passes")
    .set({ due_at: sql<Date>`'infinity'`, wanted_area_code: null })
    .execute();
}
