import type { EventType } from "@calltrack/domain";
import { type Selectable, sql } from "kysely";
import { clockNowExpression, clockNowSubqueryExpression } from "../clock/clock.js";
import { buildCallTrackerEventFacts, buildEventCte } from "../database/event-cte.js";
import { prepareStatement } from "../database/prepared-statement.js";
import type { CallTrackerChangeTable, CallTrackerTable, PoolPassTable, PoolTable } from "../database/tables/schema.js";
import { buildNextTimeExpression } from "../database/update-time.js";
import { nextPassTimeExpression, type PoolKey } from "./pass-schedule-statements.js";

/** The columns that a pass reads from a pool and its account. */
export type PassPoolRow = Pick<
  Selectable<PoolTable>,
  "area_code" | "pool_type" | "property_token" | "size" | "utilization"
> & { readonly is_active: boolean; readonly now: Date };

/** The columns that a pass reads from a call tracker. */
export type PassTrackerRow = Pick<
  Selectable<CallTrackerTable>,
  "id" | "tracking_number" | "status" | "source" | "medium" | "available_since" | "dropped_at" | "retirement"
>;

/** Reads and locks a pool and its account for a pass. Concurrent passes, updates of the pool and the disabling of the account then wait. */
export const lockPoolStatement = prepareStatement<PoolKey, PassPoolRow>((db, parameter) =>
  db
    .selectFrom("accounts")
    .innerJoin("pools as pool", "pool.account_id", "accounts.id")
    .select(["accounts.is_active", "pool.area_code", "pool.pool_type", "pool.property_token"])
    .select(["pool.size", "pool.utilization", clockNowExpression.as("now")])
    .where("pool.account_id", "=", parameter("account_id"))
    .where("pool.id", "=", parameter("pool_id"))
    .forShare("accounts")
    .forNoKeyUpdate("pool"),
);

export type PoolWithLastPassRow = PassPoolRow &
  PoolKey &
  Pick<Selectable<PoolTable>, "is_dni"> &
  Pick<Selectable<PoolPassTable>, "passed_at" | "failures" | "last_failure"> & { readonly due_at: Date | null };

/** Reads a pool for a plan or an explanation, without locks. */
export const readPoolWithLastPassStatement = prepareStatement<PoolKey, PoolWithLastPassRow>((db, parameter) =>
  db
    .selectFrom("pools as pool")
    .innerJoin("accounts", "accounts.id", "pool.account_id")
    .leftJoin("pool_passes as pass", (join) =>
      join.onRef("pass.account_id", "=", "pool.account_id").onRef("pass.pool_id", "=", "pool.id"),
    )
    .select(["accounts.is_active", "pool.account_id", "pool.id as pool_id", "pool.area_code", "pool.pool_type"])
    .select(["pool.property_token", "pool.size", "pool.utilization", clockNowExpression.as("now"), "pass.passed_at"])
    .select(sql<Date | null>`nullif(${nextPassTimeExpression}, 'infinity')`.as("due_at"))
    .select(["pass.failures", "pass.last_failure", "pool.is_dni"])
    .where("pool.account_id", "=", parameter("account_id"))
    .where("pool.id", "=", parameter("pool_id"))
    .$castTo<PoolWithLastPassRow>(),
);

export const listPassTrackersStatement = prepareStatement<PoolKey, PassTrackerRow>((db, parameter) =>
  db
    .selectFrom("call_trackers")
    .select(["id", "tracking_number", "status", "source", "medium", "available_since", "dropped_at", "retirement"])
    .where("account_id", "=", parameter("account_id"))
    .where("pool_id", "=", parameter("pool_id"))
    .orderBy("id"),
);

/** A call tracker to write after a pass; `id` is null if it is new. */
export type TrackerRowToWrite = Omit<PassTrackerRow, "id" | "retirement"> & { readonly id: string | null };

const WRITTEN_COLUMNS = ["status", "source", "medium", "available_since", "dropped_at"] as const;

/**
 * Inserts or updates call trackers from a JSON array. An upsert has a predictable plan. An update would join the
 * array with the table, and the planner might choose a poor join order.
 */
export const writeTrackersStatement = prepareStatement<
  PoolKey & { trackers: string },
  { id: string; tracking_number: string }
>((db, parameter) =>
  db
    .insertInto("call_trackers")
    .columns(["account_id", "pool_id", "id", "tracking_number", ...WRITTEN_COLUMNS, "created_at", "updated_at"])
    .expression((from) =>
      from
        .selectFrom(
          sql<TrackerRowToWrite>`json_to_recordset(${parameter("trackers")}::json)`.as<"written">(
            sql`written (id uuid, tracking_number text, status text, source text, medium text, available_since timestamptz,
              dropped_at timestamptz)`,
          ),
        )
        .select([
          sql<number>`${parameter("account_id")}::integer`.as("account_id"),
          sql<string>`${parameter("pool_id")}::uuid`.as("pool_id"),
          sql<string>`coalesce(id, uuid_v7())`.as("id"),
        ])
        .select(["tracking_number", ...WRITTEN_COLUMNS])
        .select([clockNowSubqueryExpression.as("created_at"), clockNowSubqueryExpression.as("updated_at")]),
    )
    .onConflict((conflict) =>
      conflict.columns(["account_id", "pool_id", "id"]).doUpdateSet(({ ref }) => ({
        ...(Object.fromEntries(WRITTEN_COLUMNS.map((column) => [column, ref(`excluded.${column}`)])) as object),
        updated_at: buildNextTimeExpression(ref("excluded.updated_at"), ref("call_trackers.updated_at")),
      })),
    )
    .returning(["id", "tracking_number"]),
);

export const deleteTrackersStatement = prepareStatement<PoolKey & { ids: readonly string[] }, { id: string }>(
  (db, parameter) =>
    db
      .deleteFrom("call_trackers")
      .where("account_id", "=", parameter("account_id"))
      .where("pool_id", "=", parameter("pool_id"))
      .where("id", "=", sql<string>`any(${parameter("ids")}::uuid[])`)
      .returning("id"),
);

const CHANGE_COLUMNS = ["call_tracker_id", "tracking_number", "kind", "source", "medium", "reason"] as const;

export type TrackerChangeRowToWrite = Pick<Selectable<CallTrackerChangeTable>, (typeof CHANGE_COLUMNS)[number]>;

/** Inserts history entries in the order of a JSON array, and writes an event for each of them. */
export const insertTrackerChangesStatement = prepareStatement<PoolKey & { changes: string }, { id: string }>(
  (db, parameter) =>
    db
      .with("changes", (cte) =>
        cte
          .insertInto("call_tracker_changes")
          .columns(["account_id", "pool_id", ...CHANGE_COLUMNS, "occurred_at"])
          .expression((from) =>
            from
              .selectFrom(
                sql<
                  TrackerChangeRowToWrite & { place: number }
                >`json_to_recordset(${parameter("changes")}::json)`.as<"change">(
                  sql`change (place integer, call_tracker_id uuid, tracking_number text, kind text, source text, medium text,
              reason text)`,
                ),
              )
              .select([
                sql<number>`${parameter("account_id")}::integer`.as("account_id"),
                sql<string>`${parameter("pool_id")}::uuid`.as("pool_id"),
              ])
              .select([...CHANGE_COLUMNS, clockNowSubqueryExpression.as("occurred_at")])
              .orderBy("place"),
          )
          .returning(["id", ...CHANGE_COLUMNS]),
      )
      .with("logged", () =>
        buildEventCte({
          type: sql<EventType>`'call_tracker.' || changes.kind`,
          accountId: parameter("account_id"),
          poolId: parameter("pool_id"),
          resourceId: sql.ref("changes.call_tracker_id"),
          facts: buildCallTrackerEventFacts("changes", sql.ref("changes.reason")),
          from: sql`(select * from changes order by id) as changes`,
        }),
      )
      .selectFrom("changes")
      .select("id"),
);
