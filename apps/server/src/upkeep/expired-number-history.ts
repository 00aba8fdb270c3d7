import type { Executor, ParameterGetter } from "@calltrack/postgres";
import { type RawBuilder, sql } from "kysely";
import { STATUS_NEUTRAL_CHANGE_KINDS } from "../api/calls/call-attribution.js";
import { readPoolClock } from "../clock/clock.js";
import { deleteInChunks } from "../database/delete-in-chunks.js";
import { prepareStatement } from "../database/prepared-statement.js";
import { createExpiredRowDeleter } from "./expired-rows.js";

/**
 * Deletes number holders and call tracker changes that are older than `keptMs` milliseconds on the pool clock. Keeps the rows that determine a
 * number's holder, status and source at any later time, because the attribution of calls reads them. Also keeps the last holder of each number,
 * because a new holder must not start before the last one.
 */
export async function deleteExpiredNumberHistory(db: Executor, keptMs: number): Promise<void> {
  await deleteNumberHistoryBefore(db, new Date((await readPoolClock(db)).getTime() - keptMs));
}

/** Deletes the history before `time`, except the rows from which calls since `time` are attributed. */
export async function deleteNumberHistoryBefore(db: Executor, time: Date): Promise<void> {
  const before = time.toISOString();
  await deleteReplacedHolders(db, before);
  await deleteReplacedChanges(db, before);
}

/** Rows read or deleted per statement. Short statements let other transactions run in between. */
const CHUNK = 1000;

interface HolderKey {
  readonly phone_number: string;
  readonly held_from: Date;
  readonly call_tracker_id: string;
}

/** `is_replaced` tells whether a later holder of the same number also started before the time `before`. */
interface HolderRow extends HolderKey {
  readonly account_id: number;
  readonly is_replaced: boolean;
}

const listHoldersStatement = prepareStatement<HolderKeyParameters & { before: string; limit: number }, HolderRow>(
  (db, parameter) =>
    db
      .selectFrom("tracking_number_holders as holder")
      .select(["phone_number", "held_from", "call_tracker_id", "account_id"])
      .select(({ selectFrom }) => {
        const later = selectFrom("tracking_number_holders as later")
          .select(sql<true>`true`.as("is_found"))
          .whereRef("later.phone_number", "=", "holder.phone_number")
          .where(sql<boolean>`(later.held_from, later.call_tracker_id) > (holder.held_from, holder.call_tracker_id)`)
          .where("later.held_from", "<", sql<Date>`${parameter("before")}::timestamptz`)
          .limit(sql.lit(1));
        return sql<boolean>`${later} is not null`.as("is_replaced");
      })
      // The row comparison implies this condition. The condition makes the query plan show that the statement reads only a part of the index.
      .where("phone_number", ">=", parameter("phoneNumber"))
      .where(
        sql<boolean>`(phone_number, held_from, call_tracker_id) > (${parameter("phoneNumber")},
          ${parameter("heldFrom")}::timestamptz, ${parameter("callTrackerId")}::uuid)`,
      )
      .orderBy("phone_number")
      .orderBy("held_from")
      .orderBy("call_tracker_id")
      .limit(sql<number>`${parameter("limit")}`),
);

interface HolderKeyParameters {
  phoneNumber: string;
  heldFrom: string;
  callTrackerId: string;
}

/** A key that sorts before every holder. */
const FIRST_KEY = { phoneNumber: "", heldFrom: "-infinity", callTrackerId: "00000000-0000-0000-0000-000000000000" };

const deleteHoldersStatement = prepareStatement<
  { phoneNumbers: readonly string[]; heldFrom: readonly string[]; callTrackerIds: readonly string[] },
  { phone_number: string }
>((db, parameter) =>
  db
    .deleteFrom("tracking_number_holders as holder")
    .using(
      sql<HolderKey>`unnest(${parameter("phoneNumbers")}::text[], ${parameter("heldFrom")}::timestamptz[],
        ${parameter("callTrackerIds")}::uuid[])`.as<"replaced">(
        sql`replaced (phone_number, held_from, call_tracker_id)`,
      ),
    )
    .whereRef("holder.phone_number", "=", "replaced.phone_number")
    .whereRef("holder.held_from", "=", "replaced.held_from")
    .whereRef("holder.call_tracker_id", "=", "replaced.call_tracker_id")
    .returning("holder.phone_number"),
);

const deleteChangesOfTrackersStatement = prepareStatement<
  { accountId: number; callTrackerIds: readonly string[]; before: string; limit: number },
  { id: string }
>((db, parameter) =>
  db
    .with("expired", (cte) =>
      cte
        .selectFrom("call_tracker_changes")
        .select(["pool_id", "id"])
        .where("account_id", "=", parameter("accountId"))
        .where("call_tracker_id", "=", sql<string>`any(${parameter("callTrackerIds")}::uuid[])`)
        .where("occurred_at", "<", sql<Date>`${parameter("before")}::timestamptz`)
        .limit(sql<number>`${parameter("limit")}`),
    )
    .deleteFrom("call_tracker_changes as old")
    .using("expired")
    .where("old.account_id", "=", parameter("accountId"))
    .whereRef("old.pool_id", "=", "expired.pool_id")
    .whereRef("old.id", "=", "expired.id")
    .returning("old.id"),
);

/**
 * Deletes the `tracking_number_holders` rows of holders that were replaced before the time `before`. First deletes the changes of the call trackers
 * in these rows.
 */
async function deleteReplacedHolders(db: Executor, before: string): Promise<void> {
  for (let key: HolderKeyParameters = FIRST_KEY; ; ) {
    const holders = await listHoldersStatement(db, { ...key, before, limit: CHUNK });
    const replaced = holders.filter(({ is_replaced }) => is_replaced);
    for (const [accountId, ofAccount] of Map.groupBy(replaced, ({ account_id }) => account_id)) {
      const callTrackerIds = ofAccount.map(({ call_tracker_id }) => call_tracker_id);
      await deleteInChunks(CHUNK, (limit) =>
        deleteChangesOfTrackersStatement(db, { accountId, callTrackerIds, before, limit }),
      );
    }
    if (replaced.length > 0)
      await deleteHoldersStatement(db, {
        phoneNumbers: replaced.map(({ phone_number }) => phone_number),
        heldFrom: replaced.map(({ held_from }) => held_from.toISOString()),
        callTrackerIds: replaced.map(({ call_tracker_id }) => call_tracker_id),
      });
    const last = holders.at(-1);
    if (last === undefined || holders.length < CHUNK) return;
    const { phone_number: phoneNumber, held_from, call_tracker_id: callTrackerId } = last;
    key = { phoneNumber, heldFrom: held_from.toISOString(), callTrackerId };
  }
}

const deleteReplacedChanges = createExpiredRowDeleter({
  table: "call_tracker_changes",
  age: "occurred_at",
  type: "timestamptz",
  key: ["pool_id", "id"],
  condition: isReplaced,
});

/**
 * Returns the SQL condition that later changes before the time `before` replace a change. The attribution of calls since `before` does not need a
 * replaced change: see `buildAttributionQuery`.
 */
function isReplaced(parameter: ParameterGetter<{ accountId: number; before: string }>) {
  const later = (condition: RawBuilder<boolean>) => sql<boolean>`((
    select true from call_tracker_changes as later
    where later.account_id = ${parameter("accountId")} and later.call_tracker_id = old.call_tracker_id and later.id > old.id
      and later.occurred_at < ${parameter("before")}::timestamptz and ${condition}
    limit 1) is not null)`;
  return sql<boolean>`(old.kind in ${STATUS_NEUTRAL_CHANGE_KINDS} or ${later(sql`later.kind not in ${STATUS_NEUTRAL_CHANGE_KINDS}`)})
    and (old.source is null or ${later(sql`later.source is not null`)})`;
}
