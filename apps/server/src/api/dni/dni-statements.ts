import { sql } from "kysely";
import { prepareLookup, prepareStatement } from "../../database/prepared-statement.js";

/** A pool with the number to show instead of its original number. */
export interface ResolvedNumberRow {
  readonly pool_id: string;
  readonly original_number: string;
  readonly number: string;
}

/** The current or last holder of a number. */
export interface HolderRow {
  readonly account_id: number;
  readonly pool_id: string;
  readonly call_tracker_id: string;
  readonly returned_at: Date | null;
}

/** The ids of a call tracker, which may be deleted. */
interface CallParameters {
  accountId: number;
  pool: string;
  callTracker: string;
}

/** The destination of a call to a call tracker, and the source that it is attributed to. */
export interface CallRow {
  readonly original_number: string;
  readonly account_token: string;
  readonly source: string | null;
  readonly medium: string | null;
  readonly is_prompted: boolean;
  readonly is_recorded: boolean;
  /** When the call tracker stopped serving the source; null if it still serves one. */
  readonly held_until: Date | null;
}

/** See `resolveNumbers`. */
export const resolveNumbersStatement = prepareStatement<
  { propertyToken: string; source: string; medium: string },
  ResolvedNumberRow
>((db, parameter) =>
  db
    .selectFrom("pools as pool")
    .innerJoin("phone_numbers as number", (join) =>
      join.onRef("number.account_id", "=", "pool.account_id").onRef("number.id", "=", "pool.original_number_id"),
    )
    .select(["pool.id as pool_id", "number.phone_number as original_number"])
    .select(({ fn, selectFrom, ref }) => {
      // A subquery forces one index probe per pool. For a join, the planner might match by source alone, which many
      // pools share.
      const active = selectFrom("call_trackers")
        .select("tracking_number")
        .whereRef("call_trackers.account_id", "=", "pool.account_id")
        .whereRef("call_trackers.pool_id", "=", "pool.id")
        .where("status", "=", sql.lit("active"));
      const held = active.where("source", "=", parameter("source")).where("medium", "=", parameter("medium"));
      const manual = active.where("source", "is", null).orderBy("id").limit(sql.lit(1));
      return fn.coalesce(held, manual, ref("number.phone_number")).as("number");
    })
    .where("pool.property_token", "=", parameter("propertyToken"))
    .where("pool.is_dni", "=", sql.lit(true))
    .orderBy("pool.id"),
);

/** Finds the current or last holder of a number. Returns no row for a number that was never held. */
export const findHolderStatement = prepareLookup<{ trackingNumber: string }, HolderRow>(
  { trackingNumber: "text" },
  (db, parameter) =>
    db
      .selectFrom("tracking_numbers")
      .select(["account_id", "pool_id", "call_tracker_id", "returned_at"])
      .where("phone_number", "=", parameter("trackingNumber"))
      .where("account_id", "is not", null)
      .$castTo<HolderRow>(),
);

/** See `resolveCall`. */
export const resolveCallStatement = prepareLookup<CallParameters, CallRow>(
  { accountId: "integer", pool: "uuid", callTracker: "uuid" },
  (db, parameter) =>
    db
      .selectFrom("pools as pool")
      .innerJoin("accounts as account", "account.id", "pool.account_id")
      .innerJoin("phone_numbers as original", (join) =>
        join.onRef("original.account_id", "=", "pool.account_id").onRef("original.id", "=", "pool.original_number_id"),
      )
      .leftJoin("call_trackers as tracker", (join) =>
        join
          .onRef("tracker.account_id", "=", "pool.account_id")
          .onRef("tracker.pool_id", "=", "pool.id")
          .on("tracker.id", "=", parameter("callTracker")),
      )
      .leftJoinLateral(
        (from) =>
          from
            .selectFrom("call_tracker_changes as change")
            .select(["change.source", "change.medium", "change.occurred_at"])
            .where("change.account_id", "=", parameter("accountId"))
            .where("change.call_tracker_id", "=", parameter("callTracker"))
            .where("change.source", "is not", null)
            .where("tracker.source", "is", null)
            .orderBy("change.id", "desc")
            .limit(sql.lit(1))
            .as("last"),
        (join) => join.onTrue(),
      )
      .select(["original.phone_number as original_number", "account.account_token"])
      .select(["pool.is_prompted", "pool.is_recorded", "last.occurred_at as held_until"])
      .select([
        sql<string | null>`coalesce(tracker.source, last.source)`.as("source"),
        sql<string | null>`coalesce(tracker.medium, last.medium)`.as("medium"),
      ])
      .where("pool.account_id", "=", parameter("accountId"))
      .where("pool.id", "=", parameter("pool")),
);
