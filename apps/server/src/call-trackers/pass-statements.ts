import { type Selectable, sql } from "kysely";
import { clockNow } from "../clock/clock-now.js";
import { statementTime } from "../clock/current-time.js";
import type { PoolTable } from "../pools/pool-table.js";
import { prepareStatement } from "../storage/prepared-statement.js";
import type { CallTrackerChangeTable, CallTrackerTable, PoolPassTable } from "./call-tracker-table.js";

/** Names a pool by its account's id and its own. */
export interface PoolKey {
  readonly account_id: number;
  readonly pool_id: string;
}

/** A pool that is due to be managed. */
export type DuePool = PoolKey & { readonly due_at: Date };

/** What a pass reads of its pool. */
export type PassPoolRow = Pick<
  Selectable<PoolTable>,
  "area_code" | "pool_type" | "property_token" | "size" | "utilization"
> & { readonly is_active: boolean; readonly now: Date };

/** What a pass reads of a call tracker. */
export type PassTrackerRow = Pick<
  Selectable<CallTrackerTable>,
  "id" | "tracking_number" | "status" | "source" | "medium" | "available_since" | "dropped_at"
>;

/** See `findDuePools`. */
export const duePoolsStatement = prepareStatement<{ limit: number }, DuePool>((db, parameter) =>
  db
    .selectFrom("pool_passes")
    .select(["account_id", "pool_id", "due_at"])
    .where("due_at", "<", sql.lit("infinity") as never)
    .where("due_at", "<=", clockNow)
    .orderBy("due_at")
    .limit(sql<number>`${parameter("limit")}`)
    .$castTo<DuePool>(),
);

/** See `findNextDueTime`. */
export const nextDueStatement = prepareStatement<object, { due_at: Date }>((db) =>
  db
    .selectFrom("pool_passes")
    .select("due_at")
    .where("due_at", "<", sql.lit("infinity") as never)
    .orderBy("due_at")
    .limit(sql.lit(1))
    .$castTo<{ due_at: Date }>(),
);

/** See `claimPool`. */
export const claimStatement = prepareStatement<PoolKey & { due_at: Date; leaseMs: number }, { lease: Date }>(
  (db, parameter) =>
    db
      .updateTable("pool_passes")
      .set({ due_at: sql<Date>`clock_now() + ${parameter("leaseMs")}::float8 * interval '1 millisecond'` })
      .where("account_id", "=", parameter("account_id"))
      .where("pool_id", "=", parameter("pool_id"))
      .where("due_at", "=", parameter("due_at"))
      .returning("due_at as lease")
      .$castTo<{ lease: Date }>(),
);

/** The pool of a pass and its account, locked: against another pass and a change of the pool, and against being disabled. */
export const lockPoolStatement = prepareStatement<PoolKey, PassPoolRow>((db, parameter) =>
  db
    .selectFrom("accounts")
    .innerJoin("pools as pool", "pool.account_id", "accounts.id")
    .select(["accounts.is_active", "pool.area_code", "pool.pool_type", "pool.property_token"])
    .select(["pool.size", "pool.utilization", clockNow.as("now")])
    .where("pool.account_id", "=", parameter("account_id"))
    .where("pool.id", "=", parameter("pool_id"))
    .forShare("accounts")
    .forNoKeyUpdate("pool"),
);

/** A pool with how its last pass went; `pool_id` is null if the account has no such pool. */
export type PassedPoolRow =
  | (PassPoolRow &
      PoolKey &
      Pick<Selectable<PoolPassTable>, "passed_at" | "failures" | "last_failure"> & { readonly due_at: Date | null })
  | { readonly pool_id: null };

/** What a plan or an explanation reads of a pool, locking nothing. */
export const readPoolStatement = prepareStatement<{ account: string; pool: string | null }, PassedPoolRow>(
  (db, parameter) =>
    db
      .selectFrom("account_handles as handle")
      .innerJoin("accounts", "accounts.id", "handle.account_id")
      .leftJoin("pools as pool", (join) =>
        join.onRef("pool.account_id", "=", "handle.account_id").on("pool.id", "=", parameter("pool")),
      )
      .leftJoin("pool_passes as pass", (join) =>
        join.onRef("pass.account_id", "=", "pool.account_id").onRef("pass.pool_id", "=", "pool.id"),
      )
      .select([
        "accounts.is_active",
        "accounts.id as account_id",
        "pool.id as pool_id",
        "pool.area_code",
        "pool.pool_type",
      ])
      .select(["pool.property_token", "pool.size", "pool.utilization", clockNow.as("now"), "pass.passed_at"])
      .select(sql<Date | null>`nullif(pass.due_at, 'infinity')`.as("due_at"))
      .select(["pass.failures", "pass.last_failure"])
      .where("handle.handle", "=", parameter("account"))
      .$castTo<PassedPoolRow>(),
);

/** The call trackers of a pool. */
export const trackersStatement = prepareStatement<PoolKey, PassTrackerRow>((db, parameter) =>
  db
    .selectFrom("call_trackers")
    .select(["id", "tracking_number", "status", "source", "medium", "available_since", "dropped_at"])
    .where("account_id", "=", parameter("account_id"))
    .where("pool_id", "=", parameter("pool_id"))
    .orderBy("id"),
);

/** A call tracker as a pass leaves it, to be written; its id is null if it is new. */
export type WrittenTracker = Omit<PassTrackerRow, "id"> & { readonly id: string | null };

const WRITTEN_COLUMNS = ["status", "source", "medium", "available_since", "dropped_at"] as const;

/**
 * Writes call trackers from an array in JSON, those that are there and new ones alike. An update would join the array with the
 * pool's call trackers, and which of the two is read for each row of the other is the planner's guess; of an insert it is not.
 */
export const writeTrackersStatement = prepareStatement<
  PoolKey & { trackers: string },
  { id: string; tracking_number: string }
>((db, parameter) =>
  db
    .insertInto("call_trackers")
    .columns(["account_id", "pool_id", "id", "tracking_number", ...WRITTEN_COLUMNS])
    .expression((from) =>
      from
        .selectFrom(
          sql<WrittenTracker>`json_to_recordset(${parameter("trackers")}::json)`.as<"written">(
            sql`written (id uuid, tracking_number text, status text, source text, medium text, available_since timestamptz,
              dropped_at timestamptz)`,
          ),
        )
        .select([
          sql<number>`${parameter("account_id")}::integer`.as("account_id"),
          sql<string>`${parameter("pool_id")}::uuid`.as("pool_id"),
          sql<string>`coalesce(id, uuid_v7())`.as("id"),
        ])
        .select(["tracking_number", ...WRITTEN_COLUMNS]),
    )
    .onConflict((conflict) =>
      conflict.columns(["account_id", "pool_id", "id"]).doUpdateSet(({ ref }) => ({
        ...(Object.fromEntries(WRITTEN_COLUMNS.map((column) => [column, ref(`excluded.${column}`)])) as object),
        updated_at: sql<Date>`greatest(clock_now(), call_trackers.updated_at + interval '1 millisecond')`,
      })),
    )
    .returning(["id", "tracking_number"]),
);

/** Deletes call trackers by their ids. */
export const deleteTrackersStatement = prepareStatement<PoolKey & { ids: readonly string[] }, { id: string }>(
  (db, parameter) =>
    db
      .deleteFrom("call_trackers")
      .where("account_id", "=", parameter("account_id"))
      .where("pool_id", "=", parameter("pool_id"))
      .where("id", "=", sql<string>`any(${parameter("ids")}::uuid[])`)
      .returning("id"),
);

/** A change to be written into the history. */
export type WrittenChange = Pick<
  Selectable<CallTrackerChangeTable>,
  "call_tracker_id" | "tracking_number" | "kind" | "source" | "medium" | "reason"
>;

/** Adds changes to the history from an array in JSON, in its order. */
export const insertChangesStatement = prepareStatement<PoolKey & { changes: string }, { id: string }>((db, parameter) =>
  db
    .insertInto("call_tracker_changes")
    .columns(["account_id", "pool_id", "call_tracker_id", "tracking_number", "kind", "source", "medium", "reason"])
    .expression((from) =>
      from
        .selectFrom(
          sql<WrittenChange & { place: number }>`json_to_recordset(${parameter("changes")}::json)`.as<"change">(
            sql`change (place integer, call_tracker_id uuid, tracking_number text, kind text, source text, medium text,
              reason text)`,
          ),
        )
        .select([
          sql<number>`${parameter("account_id")}::integer`.as("account_id"),
          sql<string>`${parameter("pool_id")}::uuid`.as("pool_id"),
        ])
        .select(["call_tracker_id", "tracking_number", "kind", "source", "medium", "reason"])
        .orderBy("place"),
    )
    .returning("id"),
);

/** Notes how a pass went; what has made the pool due since it was claimed is kept. */
export const finishStatement = prepareStatement<
  PoolKey & {
    lease: Date;
    dueAt: Date | string;
    wantedAreaCode: string | null;
    missing: number;
    unserved: number;
  },
  PoolKey
>((db, parameter) =>
  db
    .updateTable("pool_passes")
    .set({
      due_at: sql<Date>`
        case due_at when ${parameter("lease")}::timestamptz then ${parameter("dueAt")}::timestamptz
        else least(due_at, ${parameter("dueAt")}::timestamptz) end`,
      passed_at: clockNow,
      wanted_area_code: parameter("wantedAreaCode"),
      missing_numbers: parameter("missing"),
      unserved_sources: parameter("unserved"),
      failures: sql.lit(0),
      last_failure: null,
    })
    .where("account_id", "=", parameter("account_id"))
    .where("pool_id", "=", parameter("pool_id"))
    .returning(["account_id", "pool_id"]),
);

/** Makes a pool due no more. */
export const freezeStatement = prepareStatement<PoolKey, PoolKey>((db, parameter) =>
  db
    .updateTable("pool_passes")
    .set({ due_at: sql.lit("infinity") as never })
    .where("account_id", "=", parameter("account_id"))
    .where("pool_id", "=", parameter("pool_id"))
    .returning(["account_id", "pool_id"]),
);

/** Makes all pools of an account due, as they were frozen while it was disabled. */
export const thawStatement = prepareStatement<{ account_id: number }, PoolKey>((db, parameter) =>
  db
    .updateTable("pool_passes")
    .set({ due_at: clockNow })
    .where("account_id", "=", parameter("account_id"))
    .where("due_at", "=", sql.lit("infinity") as never)
    .returning(["account_id", "pool_id"]),
);

/** See `postponePool`. */
export const postponeStatement = prepareStatement<PoolKey & { failure: string; mostMs: number }, { failures: number }>(
  (db, parameter) =>
    db
      .updateTable("pool_passes")
      .set({
        // Twice as long after each failure: 1 s, 2 s, 4 s …
        due_at: sql<Date>`
          clock_now() + least(power(2, least(failures, 30)) * 1000, ${parameter("mostMs")}::float8)
            * interval '1 millisecond'`,
        failures: sql<number>`failures + 1`,
        last_failure: parameter("failure"),
      })
      .where("account_id", "=", parameter("account_id"))
      .where("pool_id", "=", parameter("pool_id"))
      .returning("failures"),
);

/** See `wakePoolsLackingNumbers`. */
export const wakeLackingStatement = prepareStatement<object, PoolKey>((db) =>
  db
    .updateTable("pool_passes as pass")
    .from((from) =>
      from
        .selectFrom("pool_passes")
        .select(["account_id", "pool_id"])
        .where("wanted_area_code", "is not", null)
        .where("due_at", ">", statementTime)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom("tracking_numbers as number")
              .select("number.phone_number")
              .whereRef("number.area_code", "=", "pool_passes.wanted_area_code")
              .where("number.state", "=", sql.lit("free"))
              .where("number.free_from", "<=", statementTime),
          ),
        )
        // What is locked is being managed, or made due by another.
        .forUpdate("pool_passes")
        .skipLocked()
        .as("lacking"),
    )
    .set({ due_at: statementTime })
    .whereRef("pass.account_id", "=", "lacking.account_id")
    .whereRef("pass.pool_id", "=", "lacking.pool_id")
    .returning(["pass.account_id", "pass.pool_id"]),
);
