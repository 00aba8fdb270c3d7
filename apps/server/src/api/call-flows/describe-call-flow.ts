import {
  applyCallFlowDefaults,
  findDestinationNumber,
  inheritCallFlowSettings,
  listCallFlowDestinations,
  listCallFlowNumbers,
  listCallFlowWarnings,
} from "@calltrack/domain";
import { type CallFlow, RecordingMode } from "@calltrack/domain/gen/calltracking/v1/call_flow_pb";
import type { Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { prepareStatement } from "../../database/prepared-statement.js";
import { toTimestamp } from "../../database/timestamp.js";
import { findTrackingNumbersAmong } from "../calls/tracked-number.js";
import { findStoredPhoneSystem } from "../phone-systems/phone-system-repository.js";
import type { StoredCallFlow } from "./call-flow-repository.js";

/** Converts a call flow to a message. The message's warnings depend on the phone systems that route the numbers of the pool or account. */
export async function describeCallFlow(
  db: Executor,
  { accountId, accountToken }: ResolvedAccount,
  { pool, settings: own, inherited, updatedAt, etag }: StoredCallFlow,
): Promise<CallFlow> {
  const merged = inheritCallFlowSettings(own, inherited);
  const isRecorded = pool?.isRecorded === true && merged.recording !== RecordingMode.OFF;
  const destinations = [...listCallFlowDestinations(merged)];
  const tracked = await findTrackingNumbersAmong(db, listCallFlowNumbers(merged));
  const needsPhoneSystems = pool !== undefined || destinations.length > 0;
  const ids = needsPhoneSystems ? await listPhoneSystemIds(db, accountId, pool?.id) : [];
  const phoneSystems = await Promise.all(ids.map((id) => findStoredPhoneSystem(db, id)));
  return {
    $typeName: "calltracking.v1.CallFlow",
    accountToken,
    poolId: pool?.id,
    settings: own,
    effective: applyCallFlowDefaults(merged, pool?.originalNumber, isRecorded),
    warnings: [
      ...destinations
        .filter(([, destination]) => tracked.has(findDestinationNumber(destination) ?? ""))
        .map(
          ([field, destination]) =>
            `${field} ${destination} is a tracking number, which is never dialed: set another number`,
        ),
      ...listCallFlowWarnings({ own, merged, pool, phoneSystems: phoneSystems.filter((each) => each !== undefined) }),
    ],
    updatedAt: updatedAt && toTimestamp(updatedAt),
    etag,
  };
}

/** Lists the phone systems that route a pool's numbers. Without a `poolId`, considers only the account's first `FIRST_TRACKERS` call trackers. */
async function listPhoneSystemIds(
  db: Executor,
  accountId: number,
  poolId: string | undefined,
): Promise<readonly string[]> {
  const trackers =
    poolId === undefined
      ? await listAccountNumbersStatement(db, { accountId })
      : await listNumbersStatement(db, { accountId, poolId });
  const numbers = trackers.map(({ tracking_number }) => tracking_number);
  const [row] = await listPhoneSystemIdsStatement(db, { numbers });
  return row?.ids ?? [];
}

const listNumbersStatement = prepareStatement<{ accountId: number; poolId: string }, { tracking_number: string }>(
  (db, parameter) =>
    db
      .selectFrom("call_trackers")
      .select("tracking_number")
      .where("account_id", "=", parameter("accountId"))
      .where("pool_id", "=", parameter("poolId"))
      // Without an order by `id`, PostgreSQL could choose another index than the one on the pool.
      .orderBy("id"),
);

/** How many call trackers of an account to consider. An account can have a million call trackers, but few phone systems. */
const FIRST_TRACKERS = 1000;

const listAccountNumbersStatement = prepareStatement<{ accountId: number }, { tracking_number: string }>(
  (db, parameter) =>
    db
      .selectFrom("call_trackers")
      .select("tracking_number")
      .where("account_id", "=", parameter("accountId"))
      .orderBy("pool_id")
      .orderBy("id")
      .limit(FIRST_TRACKERS),
);

/** A separate statement, because a Citus cluster stores the inventory on another worker. `ids` is null if no number has a phone system. */
const listPhoneSystemIdsStatement = prepareStatement<{ numbers: readonly string[] }, { ids: readonly string[] | null }>(
  (db, parameter) =>
    db
      .selectFrom("tracking_numbers")
      .select(
        sql<string[] | null>`array_agg(distinct phone_system_id) filter (where phone_system_id is not null)`.as("ids"),
      )
      .where("phone_number", "=", sql<string>`any(${parameter("numbers")}::text[])`),
);
