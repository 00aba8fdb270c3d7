import type { Parameter } from "@calltrack/postgres";
import { sql } from "kysely";
import { prepareStatement } from "../../database/prepared-statement.js";
import { nextTime } from "../../database/update-time.js";
import { clockNow } from "../../pool-management/clock.js";
import { attributionAt } from "./call-attribution.js";
import { CALL_COLUMNS, type CallRow } from "./call-row.js";

/** A call to insert, as JSON, without the columns that attribution fills. */
export interface CallToInsert extends Omit<CallRow, "id" | keyof AttributedColumns | "created_at" | "updated_at"> {
  /** The index of the call in its batch. */
  readonly place: number;
  readonly caller_key: string | null;
  readonly is_start_sent: boolean;
}

type AttributedColumns = Pick<
  CallRow,
  | "original_number"
  | "property_token"
  | "source"
  | "medium"
  | "tracker_status"
  | "is_first_call"
  | "is_prompted"
  | "is_recorded"
>;

/** A new or existing call, with the columns that identify a repeated request. */
export interface RecordedCallRow extends CallRow {
  readonly account_token: string;
  readonly caller_key: string | null;
  readonly is_start_sent: boolean;
  readonly is_new: boolean;
}

interface CreationParameters {
  accountId: number;
  /** A JSON array of `CallToInsert` with distinct `call_id`s. */
  calls: string;
}

const RECORDED_COLUMNS = [...CALL_COLUMNS, "caller_key", "is_start_sent"] as const;

const INSERTED_COLUMNS = RECORDED_COLUMNS.filter(
  (column): column is Exclude<typeof column, "id" | "created_at" | "updated_at"> =>
    !["id", "created_at", "updated_at"].includes(column),
);

/**
 * Inserts those calls of one account that do not exist, and returns new and existing ones. A call that another transaction inserts
 * concurrently has no row. Sets `is_first_call`, and clears it on an existing call of the same caller that started later.
 *
 * The plan must probe indexes even on a new database without statistics, or an import would take a multiple of the time. Subqueries with a
 * limit make PostgreSQL look up row by row, and ranges of one value with an order leave it only the index on that column.
 */
export const createCallsStatement = prepareStatement<CreationParameters, RecordedCallRow>((db, parameter) =>
  db
    .with("given", () => givenCalls(parameter))
    .with("known", () => knownCalls(parameter))
    .with("fresh", () => freshCalls(parameter))
    .with("demotable", () => demotableCalls(parameter))
    .with("demoted", (cte) =>
      cte
        .updateTable("calls as call")
        .set({ is_first_call: false, updated_at: nextTime(clockNow, sql`call.updated_at`) })
        .where("call.account_id", "=", parameter("accountId"))
        .where(sql<boolean>`call.id = any(array(select id from demotable)) and (select count(*) from demotable) > 0`)
        // In one expression, which matches no index but the primary key.
        .where(sql<boolean>`coalesce(call.is_first_call and call.caller_key is not null, false)`)
        .returning("call.id"),
    )
    .with("inserted", (cte) =>
      cte
        .insertInto("calls")
        .columns(["account_id", ...INSERTED_COLUMNS])
        .expression((from) =>
          from
            .selectFrom("fresh")
            .select(sql<number>`${parameter("accountId")}::integer`.as("account_id"))
            .select(INSERTED_COLUMNS)
            // Forces the update of `demoted` to run first: a unique index allows one first call for each caller.
            .where(sql<boolean>`(select count(*) from demoted) >= 0`)
            // In the same order in every transaction, so that two with the same new callers cannot deadlock.
            .orderBy("caller_key")
            .orderBy("place"),
        )
        .onConflict((conflict) => conflict.columns(["account_id", "call_id"]).doNothing())
        .returning(RECORDED_COLUMNS),
    )
    .with("recorded", (cte) =>
      cte
        .selectFrom("known")
        .select(RECORDED_COLUMNS)
        .select(sql<boolean>`false`.as("is_new"))
        .unionAll((from) =>
          from.selectFrom("inserted").select(RECORDED_COLUMNS).select(sql<boolean>`true`.as("is_new")),
        ),
    )
    .selectFrom("recorded")
    .innerJoin("accounts as account", (join) => join.on("account.id", "=", parameter("accountId")))
    .select(RECORDED_COLUMNS.map((column) => `recorded.${column}` as const))
    .select(["recorded.is_new", "account.account_token"]),
);

function givenCalls(parameter: Parameter<CreationParameters>) {
  return sql<CallToInsert>`(
    select * from json_to_recordset(${parameter("calls")}::json) as given (
      place integer, call_id text, tracking_number text, caller_number text, caller_key uuid, started_at timestamptz(3),
      is_start_sent boolean, answered_at timestamptz(3), ended_at timestamptz(3), duration_seconds integer, outcome text,
      recording_url text, pool_id uuid, call_tracker_id uuid))`;
}

function knownCalls(parameter: Parameter<CreationParameters>) {
  return sql<Omit<RecordedCallRow, "account_token" | "is_new">>`(
    select known.* from given
    cross join lateral (
      select ${sql.join(RECORDED_COLUMNS.map((column) => sql.ref(column)))} from calls
      where account_id = ${parameter("accountId")} and call_id >= given.call_id and call_id <= given.call_id
      order by call_id limit 1
    ) as known)`;
}

function freshCalls(parameter: Parameter<CreationParameters>) {
  const accountId = parameter("accountId");
  const attribution = attributionAt({
    accountId,
    callTrackerId: sql.ref("given.call_tracker_id"),
    at: sql.ref("given.started_at"),
  });
  return sql<CallToInsert & AttributedColumns>`(
    select given.*, pool.original_number, pool.property_token, pool.is_prompted, pool.is_recorded,
      attribution.source, attribution.medium, attribution.tracker_status,
      case when given.caller_key is not null then
        row_number() over (partition by given.caller_key order by given.started_at, given.place) = 1
        and (select true from calls as earlier where earlier.account_id = ${accountId}
          and earlier.caller_key = given.caller_key and earlier.started_at <= given.started_at limit 1) is null
      end as is_first_call
    from given
    cross join lateral (
      select pool.property_token, pool.is_prompted, pool.is_recorded,
        (select phone_number from phone_numbers as original
          where original.account_id = ${accountId} and original.id = pool.original_number_id) as original_number
      from pools as pool where pool.account_id = ${accountId} and pool.id = given.pool_id limit 1
    ) as pool
    cross join lateral ${attribution} as attribution
    where given.call_id not in (select call_id from known))`;
}

/** The first calls of callers with an even earlier call in `fresh`. */
function demotableCalls(parameter: Parameter<CreationParameters>) {
  return sql<{ id: string }>`(
    select later.id from fresh
    cross join lateral (
      select id from calls
      where account_id = ${parameter("accountId")} and caller_key >= fresh.caller_key and caller_key <= fresh.caller_key
        and is_first_call
      order by caller_key limit 1
    ) as later
    where fresh.is_first_call)`;
}
