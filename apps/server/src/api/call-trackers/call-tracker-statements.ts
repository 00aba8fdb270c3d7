import type { EventType } from "@calltrack/domain";
import { listColumnNames, type ParameterGetter } from "@calltrack/postgres";
import { type Expression, type Selectable, sql, type UpdateObject } from "kysely";
import { clockNowExpression } from "../../clock/clock.js";
import { buildAuditedUpdate } from "../../database/audited-update.js";
import { buildEtagConditionSql, type EtagCondition } from "../../database/etag-condition.js";
import { buildCallTrackerEventFacts, type EventCteOptions } from "../../database/event-cte.js";
import { prepareList, prepareLookup, prepareStatement, type QueryBuilder } from "../../database/prepared-statement.js";
import type { CallTrackerTable, Schema } from "../../database/tables/schema.js";
import { buildNextTimeExpression } from "../../database/update-time.js";

const COLUMN_TYPES = {
  id: "text",
  tracking_number: "text",
  status: "text",
  source: "text",
  medium: "text",
  description: "text",
  created_at: "time",
  dropped_at: "time",
  updated_at: "time",
} as const;

const COLUMNS = listColumnNames(COLUMN_TYPES);

const QUALIFIED_COLUMNS = COLUMNS.map((column) => `tracker.${column}` as const);

const CHANGE_COLUMNS = ["account_id", "pool_id", "call_tracker_id", "tracking_number", "kind", "reason"] as const;

type TrackerColumns = Pick<Selectable<CallTrackerTable>, (typeof COLUMNS)[number]>;

interface PoolColumns {
  readonly pool_id: string;
  readonly original_number: string;
  readonly original_number_id: string;
}

/** The columns of a call tracker that the API returns. */
export type CallTrackerRow = TrackerColumns & PoolColumns;

/** A row of a left join from a pool to its call trackers. The columns of the call tracker are null if the pool has no matching one. */
export type PoolWithCallTrackerRow = CallTrackerRow | (PoolColumns & Record<keyof TrackerColumns, null>);

export interface CallTrackerKey {
  accountId: number;
  pool: string;
  id: string;
}

/** `origin` is a `ChangeOrigin` in JSON. */
type ChangeParameters = CallTrackerKey & EtagCondition & { origin: string };

export const findCallTrackerStatement = prepareLookup<CallTrackerKey, PoolWithCallTrackerRow>(
  { accountId: "integer", pool: "uuid", id: "uuid" },
  (db, parameter) =>
    selectPool(db, parameter)
      .leftJoin("call_trackers as tracker", (join) =>
        join
          .onRef("tracker.account_id", "=", "pool.account_id")
          .onRef("tracker.pool_id", "=", "pool.id")
          .on("tracker.id", "=", parameter("id")),
      )
      .select(QUALIFIED_COLUMNS)
      .$castTo<PoolWithCallTrackerRow>(),
);

export const listCallTrackersStatement = prepareList<
  { accountId: number; pool: string; after: string; limit: number },
  PoolWithCallTrackerRow
>({ pool_id: "text", original_number: "text", original_number_id: "text", ...COLUMN_TYPES }, (db, parameter) =>
  selectPool(db, parameter)
    // With a lateral join, the index provides the order, and PostgreSQL reads only `limit` rows.
    .leftJoinLateral(
      (from) =>
        from
          .selectFrom("call_trackers")
          .select(COLUMNS)
          .where("account_id", "=", parameter("accountId"))
          .where("pool_id", "=", parameter("pool"))
          .where("id", ">", parameter("after"))
          .orderBy("id")
          .limit(sql<number>`${parameter("limit")}`)
          .as("tracker"),
      (join) => join.onTrue(),
    )
    .select(QUALIFIED_COLUMNS)
    .$castTo<PoolWithCallTrackerRow>(),
);

/** An updated call tracker, or the rejection of an update that would activate a call tracker whose number is being retired. */
type UpdatedRow = (CallTrackerRow & { readonly is_refused: false }) | { readonly is_refused: true };

/** Builds the SQL condition that is true if the update activates the call tracker. */
function activates(parameter: ParameterGetter<{ unflags: boolean }>) {
  return sql<boolean>`(status = 'available' or (status = 'flagged' and ${parameter("unflags")}::boolean))`;
}

const UPDATE_KIND = sql<
  "activated" | "unflagged" | "described"
>`case when before.status = updated.status then 'described'
  when before.status = 'available' then 'activated' else 'unflagged' end`;

const UPDATE_REASON = sql<string>`case when before.status = updated.status then 'described by a person'
  else 'made active by a person' end`;

const FLAG_REASON = "flagged by a person";

export const updateCallTrackerStatement = prepareStatement<
  ChangeParameters & { description: string | null; unflags: boolean },
  UpdatedRow
>((db, parameter) =>
  changeCallTracker(
    db,
    parameter,
    {
      status: sql<"active" | "flagged">`case when ${activates(parameter)} then 'active' else status end`,
      dropped_at: sql<Date | null>`case when ${activates(parameter)} then null else dropped_at end`,
      description: sql<string | null>`coalesce(${parameter("description")}, description)`,
    },
    sql<boolean>`(retirement is null or not ${activates(parameter)})`,
    { type: sql<EventType>`'call_tracker.' || ${UPDATE_KIND}`, reason: UPDATE_REASON },
  )
    .with("changes", (cte) =>
      cte
        .insertInto("call_tracker_changes")
        .columns(CHANGE_COLUMNS)
        .expression((from) =>
          from
            .selectFrom("before")
            .innerJoin("updated", "updated.id", "before.id")
            .select(["updated.account_id", "updated.pool_id", "updated.id", "updated.tracking_number"])
            .select([UPDATE_KIND.as("kind"), UPDATE_REASON.as("reason")])
            // An update that changes neither status nor description gets no history entry.
            .where(
              sql<boolean>`before.status <> updated.status or before.description is distinct from updated.description`,
            ),
        )
        .returning("id"),
    )
    .selectFrom("before")
    .leftJoin("updated as tracker", "tracker.id", "before.id")
    .select(["before.pool_id", "before.original_number", "before.original_number_id", ...QUALIFIED_COLUMNS])
    .select(sql<boolean>`tracker.id is null`.as("is_refused"))
    .$castTo<UpdatedRow>(),
);

export const flagCallTrackerStatement = prepareStatement<ChangeParameters & { gracePeriodMs: number }, CallTrackerRow>(
  (db, parameter) =>
    changeCallTracker(
      db,
      parameter,
      { status: sql.lit<"flagged">("flagged"), dropped_at: clockNowExpression },
      sql<boolean>`status = 'active'`,
      { type: "call_tracker.flagged", reason: sql`${sql.lit(FLAG_REASON)}` },
    )
      .with("changes", (cte) =>
        cte
          .insertInto("call_tracker_changes")
          .columns(CHANGE_COLUMNS)
          .expression((from) =>
            from
              .selectFrom("updated")
              .select(["account_id", "pool_id", "id", "tracking_number"])
              .select([sql.lit<"flagged">("flagged").as("kind"), sql.lit(FLAG_REASON).as("reason")]),
          )
          .returning("id"),
      )
      .with("passes", (cte) =>
        cte
          .updateTable("pool_passes as pass")
          .from("updated")
          .set({
            due_at: sql<Date>`least(due_at, clock_now() + ${parameter("gracePeriodMs")}::float8 * interval '1 millisecond')`,
          })
          .where("pass.account_id", "=", parameter("accountId"))
          .whereRef("pass.pool_id", "=", "updated.pool_id")
          .returning("pass.pool_id"),
      )
      .selectFrom("updated as tracker")
      .innerJoin("before", "before.id", "tracker.id")
      .select(["tracker.pool_id", "before.original_number", "before.original_number_id", ...QUALIFIED_COLUMNS]),
);

/** Updates the call tracker that `lockCallTracker` finds, if `condition` holds for it. */
function changeCallTracker(
  db: QueryBuilder,
  parameter: ParameterGetter<ChangeParameters>,
  set: UpdateObject<Schema, "call_trackers">,
  condition: Expression<boolean>,
  { type, reason }: { readonly type: EventCteOptions["type"]; readonly reason: Expression<unknown> },
) {
  return buildAuditedUpdate(db, "call_trackers", {
    type: "call_tracker",
    columns: [...COLUMNS, "pool_id"],
    key: { account_id: parameter("accountId"), pool_id: parameter("pool"), id: parameter("id") },
    before: lockCallTracker(db, parameter),
    condition,
    set: { ...set, updated_at: buildNextTimeExpression(clockNowExpression, sql`updated_at`) },
    returning: ["account_id", "pool_id", ...COLUMNS],
    event: {
      type,
      poolId: sql.ref("updated.pool_id"),
      resourceId: sql.ref("updated.id"),
      facts: buildCallTrackerEventFacts("updated", reason),
    },
    accountId: parameter("accountId"),
    origin: parameter("origin"),
  });
}

/** Returns whether the account of a pool is active, and the pool's type. Returns no row if the account has no such pool. */
export const findPoolStateStatement = prepareStatement<
  Omit<CallTrackerKey, "id">,
  { is_active: boolean; pool_type: "manual" | "automanaged" }
>((db, parameter) =>
  db
    .selectFrom("pools as pool")
    .innerJoin("accounts", "accounts.id", "pool.account_id")
    .select(["accounts.is_active", "pool.pool_type"])
    .where("pool.account_id", "=", parameter("accountId"))
    .where("pool.id", "=", parameter("pool")),
);

/**
 * Selects and locks a call tracker in a manual pool of an active account, if the etag condition holds. Until the transaction ends, no pass
 * can change the pool, and no request can disable the account.
 */
function lockCallTracker(db: QueryBuilder, parameter: ParameterGetter<ChangeParameters>) {
  return db
    .selectFrom("pools")
    .innerJoin("accounts", "accounts.id", "pools.account_id")
    .innerJoin("phone_numbers as number", (join) =>
      join.onRef("number.account_id", "=", "pools.account_id").onRef("number.id", "=", "pools.original_number_id"),
    )
    .innerJoin("call_trackers as tracker", (join) =>
      join.onRef("tracker.account_id", "=", "pools.account_id").onRef("tracker.pool_id", "=", "pools.id"),
    )
    .select([...QUALIFIED_COLUMNS, "tracker.pool_id", "tracker.retirement"])
    .select(["number.phone_number as original_number", "number.id as original_number_id"])
    .where("pools.account_id", "=", parameter("accountId"))
    .where("pools.id", "=", parameter("pool"))
    .where("tracker.id", "=", parameter("id"))
    .where("pools.pool_type", "=", sql.lit("manual"))
    .where("accounts.is_active", "=", sql.lit(true))
    .where(buildEtagConditionSql(parameter, sql.ref("tracker.updated_at")))
    .forShare("accounts")
    .forNoKeyUpdate("pools")
    .forUpdate("tracker");
}

function selectPool(db: QueryBuilder, parameter: ParameterGetter<Omit<CallTrackerKey, "id">>) {
  return db
    .selectFrom("pools as pool")
    .innerJoin("phone_numbers as number", (join) =>
      join.onRef("number.account_id", "=", "pool.account_id").onRef("number.id", "=", "pool.original_number_id"),
    )
    .select(["pool.id as pool_id", "number.phone_number as original_number", "number.id as original_number_id"])
    .where("pool.account_id", "=", parameter("accountId"))
    .where("pool.id", "=", parameter("pool"));
}
