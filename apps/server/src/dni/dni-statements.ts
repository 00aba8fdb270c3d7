import { sql } from "kysely";
import { prepareLookUp, prepareStatement } from "../storage/prepared-statement.js";

/** The number to show in place of a pool's original number. */
export interface ResolvedNumberRow {
  readonly pool_id: string;
  readonly original_number: string;
  readonly number: string;
}

/** Where a call goes, and what it counts for. */
export interface CallRow {
  readonly tracking_number: string;
  readonly original_number: string;
  readonly account_token: string;
  readonly pool_id: string;
  readonly call_tracker_id: string;
  readonly source: string | null;
  readonly medium: string | null;
  readonly is_prompted: boolean;
  readonly is_recorded: boolean;
  readonly held_until: Date | null;
}

/** See `resolveNumbers`. */
export const resolveNumbersStatement = prepareStatement<
  { propertyToken: string; source: string | null; medium: string | null },
  ResolvedNumberRow
>((db, parameter) =>
  db
    .selectFrom("pools as pool")
    .innerJoin("phone_numbers as number", (join) =>
      join.onRef("number.account_id", "=", "pool.account_id").onRef("number.id", "=", "pool.original_number_id"),
    )
    .select(["pool.id as pool_id", "number.phone_number as original_number"])
    .select(({ fn, selectFrom, ref }) => {
      // One probe of an index a pool. A join could be made by the source alone, of which all pools have some.
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

/** See `resolveCall`. */
export const resolveCallStatement = prepareLookUp<{ trackingNumber: string }, CallRow>(
  { trackingNumber: "text" },
  (db, parameter) =>
    db
      .selectFrom("tracking_numbers as held")
      .innerJoin("accounts as account", "account.id", "held.account_id")
      .innerJoin("pools as pool", (join) =>
        join.onRef("pool.account_id", "=", "held.account_id").onRef("pool.id", "=", "held.pool_id"),
      )
      .innerJoin("phone_numbers as original", (join) =>
        join.onRef("original.account_id", "=", "pool.account_id").onRef("original.id", "=", "pool.original_number_id"),
      )
      .leftJoin("call_trackers as tracker", (join) =>
        join
          .onRef("tracker.account_id", "=", "held.account_id")
          .onRef("tracker.pool_id", "=", "held.pool_id")
          .onRef("tracker.id", "=", "held.call_tracker_id"),
      )
      .leftJoinLateral(
        (from) =>
          from
            .selectFrom("call_tracker_changes as change")
            .select(["change.source", "change.medium", "change.occurred_at"])
            .whereRef("change.account_id", "=", "held.account_id")
            .whereRef("change.call_tracker_id", "=", "held.call_tracker_id")
            .where("change.source", "is not", null)
            .where("tracker.source", "is", null)
            .orderBy("change.id", "desc")
            .limit(sql.lit(1))
            .as("last"),
        (join) => join.onTrue(),
      )
      .select(["held.phone_number as tracking_number", "original.phone_number as original_number"])
      .select(["account.account_token", "pool.id as pool_id", "pool.is_prompted", "pool.is_recorded"])
      .select((eb) => [
        eb.ref("held.call_tracker_id").$notNull().as("call_tracker_id"),
        sql<string | null>`coalesce(tracker.source, last.source)`.as("source"),
        sql<string | null>`coalesce(tracker.medium, last.medium)`.as("medium"),
        sql<Date | null>`coalesce(last.occurred_at, held.returned_at)`.as("held_until"),
      ])
      .where("held.phone_number", "=", parameter("trackingNumber")),
);
