import type { JsonObject } from "@bufbuild/protobuf";
import { type CallRoute, inheritCallFlowSettings, listCallFlowNumbers } from "@calltrack/domain";
import { type Executor, listColumnNames, type ParameterGetter } from "@calltrack/postgres";
import { type Expression, sql } from "kysely";
import { prepareList, prepareLookup, type QueryBuilder } from "../../database/prepared-statement.js";
import type { NumberHolder } from "../calls/number-holders.js";
import {
  findNumberWithHolderStatement,
  findTrackingNumbersAmong,
  hasCurrentHolder,
  NUMBER_WITH_HOLDER_COLUMN_TYPES,
  type NumberWithHolderRow,
  parseLastHolder,
} from "../calls/tracked-number.js";
import {
  type CallDestinationRow,
  NUMBER_HOLDER_PARAMETER_TYPES,
  selectCallDestination,
} from "../dni/dni-repository.js";
import { DEFAULT_CALL_FLOW_POOL_ID, parseStoredCallFlowSettings } from "./call-flow-repository.js";

/**
 * Returns the route of a call that starts now. Calls to a released number go to its last holder. Returns undefined if no call tracker ever
 * held the number.
 */
export async function findCallRoute(db: Executor, trackingNumber: string): Promise<CallRoute | undefined> {
  const [number] = await findNumberWithHolderStatement(db, { phoneNumber: trackingNumber });
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
 * Lists the routes for all numbers that a call tracker holds or held, in the order of the numbers. The last page has fewer than `limit`
 * routes.
 *
 * @param afterNumber the last number of the previous page; empty for the first page.
 */
export async function listCallRoutes(db: Executor, afterNumber: string, limit: number): Promise<CallRoute[]> {
  const routes: CallRoute[] = [];
  const numbers = await listHeldNumbersStatement(db, { after: afterNumber, limit });
  // Looks up at most 32 routes at a time, in shared statements. More would delay the lookups for calls that arrive meanwhile.
  for (let index = 0; index < numbers.length; index += 32) {
    const found = await Promise.all(numbers.slice(index, index + 32).map((number) => findRouteOf(db, number)));
    routes.push(...found.flatMap((route) => route ?? []));
  }
  return routes;
}

async function findRouteOf(db: Executor, number: NumberWithHolderRow): Promise<CallRoute | undefined> {
  const holder = parseLastHolder(number);
  if (holder === undefined) return undefined;
  const [row] = await findRouteStatement(db, holder);
  if (row === undefined) return undefined;
  const flow = inheritCallFlowSettings(
    parseStoredCallFlowSettings(row.settings),
    parseStoredCallFlowSettings(row.default_settings),
  );
  const trackedNumbers = [...(await findTrackingNumbersAmong(db, listCallFlowNumbers(flow)))];
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
    isReleased: !hasCurrentHolder(number),
    phoneSystemId: number.phone_system_id ?? undefined,
  };
}

const listHeldNumbersStatement = prepareList<{ after: string; limit: number }, NumberWithHolderRow>(
  NUMBER_WITH_HOLDER_COLUMN_TYPES,
  (db, parameter) =>
    db
      .selectFrom("tracking_numbers")
      .select(listColumnNames(NUMBER_WITH_HOLDER_COLUMN_TYPES))
      .where("account_id", "is not", null)
      .where("phone_number", ">", parameter("after"))
      .orderBy("phone_number")
      .limit(sql<number>`${parameter("limit")}`),
);

/** A call's destination, with the settings of its pool's call flow and of the account's default. Settings that were never set are null. */
interface RouteRow extends CallDestinationRow {
  readonly settings: JsonObject | null;
  readonly default_settings: JsonObject | null;
}

const findRouteStatement = prepareLookup<NumberHolder, RouteRow>(NUMBER_HOLDER_PARAMETER_TYPES, (db, parameter) =>
  selectCallDestination(db, parameter).select([
    settingsOf(db, parameter, parameter("poolId")).as("settings"),
    settingsOf(db, parameter, sql`${sql.lit(DEFAULT_CALL_FLOW_POOL_ID)}::uuid`).as("default_settings"),
  ]),
);

function settingsOf(db: QueryBuilder, parameter: ParameterGetter<NumberHolder>, poolId: Expression<string>) {
  return db
    .selectFrom("call_flows as flow")
    .select("flow.settings")
    .where("flow.account_id", "=", parameter("accountId"))
    .where("flow.pool_id", "=", poolId);
}
