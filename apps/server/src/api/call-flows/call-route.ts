import type { JsonObject } from "@bufbuild/protobuf";
import { type CallRoute, inheritCallFlowSettings, numbersOf } from "@calltrack/domain";
import { columnNames, type Executor, type Parameter } from "@calltrack/postgres";
import { type Expression, sql } from "kysely";
import { prepareList, prepareLookup, type QueryBuilder } from "../../database/prepared-statement.js";
import type { NumberHolder } from "../calls/number-holders.js";
import {
  findTrackedNumber,
  findTrackingNumbersAmong,
  isHeldNumber,
  lastHolderOf,
  TRACKED_NUMBER_COLUMNS,
  type TrackedNumberRow,
} from "../calls/tracked-number.js";
import { type DestinationRow, HOLDER_PARAMETER_TYPES, selectDestination } from "../dni/dni-repository.js";
import { NO_POOL_ID, readSettings } from "./call-flow-repository.js";

/**
 * Returns the route of a call that starts now. Calls to a released number go to its last holder. Returns undefined if no call tracker ever
 * held the number.
 */
export async function findCallRoute(db: Executor, trackingNumber: string): Promise<CallRoute | undefined> {
  const [number] = await findTrackedNumber(db, { phoneNumber: trackingNumber });
  return number && findRouteOf(db, number);
}

/** Returns a map from each number to its route, without the numbers that no call tracker ever held. */
export async function findCallRoutes(
  db: Executor,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, CallRoute>> {
  const found = await Promise.all(numbers.map((number) => findCallRoute(db, number)));
  return new Map(found.flatMap((route) => (route === undefined ? [] : [[route.trackingNumber, route]])));
}

/**
 * Lists the routes for all numbers that a call tracker holds or held, in the order of the numbers. The last page has fewer than `limit`.
 *
 * @param afterNumber the last number of the previous page; empty for the first page.
 */
export async function listCallRoutes(db: Executor, afterNumber: string, limit: number): Promise<CallRoute[]> {
  const routes: CallRoute[] = [];
  const numbers = await listHeldNumbersStatement(db, { after: afterNumber, limit });
  // At most 32 lookups share a statement. More at a time would delay the lookups for calls.
  for (let index = 0; index < numbers.length; index += 32) {
    const found = await Promise.all(numbers.slice(index, index + 32).map((number) => findRouteOf(db, number)));
    routes.push(...found.flatMap((route) => route ?? []));
  }
  return routes;
}

async function findRouteOf(db: Executor, number: TrackedNumberRow): Promise<CallRoute | undefined> {
  const holder = lastHolderOf(number);
  if (holder === undefined) return undefined;
  const [row] = await findRouteStatement(db, holder);
  if (row === undefined) return undefined;
  const flow = inheritCallFlowSettings(readSettings(row.settings), readSettings(row.default_settings));
  const trackedNumbers = [...(await findTrackingNumbersAmong(db, numbersOf(flow)))];
  return {
    ...holder,
    trackingNumber: number.phone_number,
    accountToken: row.account_token,
    originalNumber: row.original_number,
    source: row.source ?? undefined,
    medium: row.medium ?? undefined,
    isPrompted: row.is_prompted,
    isRecorded: row.is_recorded,
    ...{ flow, trackedNumbers },
    isReleased: !isHeldNumber(number),
    phoneSystemId: number.phone_system_id ?? undefined,
  };
}

const listHeldNumbersStatement = prepareList<{ after: string; limit: number }, TrackedNumberRow>(
  TRACKED_NUMBER_COLUMNS,
  (db, parameter) =>
    db
      .selectFrom("tracking_numbers")
      .select(columnNames(TRACKED_NUMBER_COLUMNS))
      .where("account_id", "is not", null)
      .where("phone_number", ">", parameter("after"))
      .orderBy("phone_number")
      .limit(sql<number>`${parameter("limit")}`),
);

/** A destination, with the settings of the pool's call flow and of the account's default call flow; null if they were never set. */
interface RouteRow extends DestinationRow {
  readonly settings: JsonObject | null;
  readonly default_settings: JsonObject | null;
}

const findRouteStatement = prepareLookup<NumberHolder, RouteRow>(HOLDER_PARAMETER_TYPES, (db, parameter) =>
  selectDestination(db, parameter).select([
    settingsOf(db, parameter, parameter("poolId")).as("settings"),
    settingsOf(db, parameter, sql`${sql.lit(NO_POOL_ID)}::uuid`).as("default_settings"),
  ]),
);

function settingsOf(db: QueryBuilder, parameter: Parameter<NumberHolder>, poolId: Expression<string>) {
  return db
    .selectFrom("call_flows as flow")
    .select("flow.settings")
    .where("flow.account_id", "=", parameter("accountId"))
    .where("flow.pool_id", "=", poolId);
}
